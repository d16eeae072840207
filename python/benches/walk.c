/* The bound of every evaluation of dicts: a walk that reads the text of each document and adds its score. See
 * against_ir_measures.py. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *walk(PyObject *self, PyObject *runs) {
    PyObject *name, *run, *topic, *documents, *document, *score;
    Py_ssize_t of_runs = 0, of_topics, of_documents, length, lengths = 0;
    double sum = 0;
    while (PyDict_Next(runs, &of_runs, &name, &run)) {
        of_topics = 0;
        while (PyDict_Next(run, &of_topics, &topic, &documents)) {
            of_documents = 0;
            while (PyDict_Next(documents, &of_documents, &document, &score)) {
                if (!PyUnicode_CheckExact(document) || !PyFloat_CheckExact(score) ||
                    !PyUnicode_AsUTF8AndSize(document, &length)) {
                    PyErr_SetString(PyExc_TypeError, "texts and floats are wanted");
                    return NULL;
                }
                lengths += length;
                sum += PyFloat_AS_DOUBLE(score);
            }
        }
    }
    return Py_BuildValue("nd", lengths, sum);
}

static PyMethodDef methods[] = {{"walk", walk, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "walk", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_walk(void) { return PyModule_Create(&module); }
