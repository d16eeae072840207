//! Controls Chromium by its DevTools protocol.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::harness::{directory, skipped};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A browser with one tab.
pub(super) struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    sent: u64,
    /// The events that arrived while the test waited for an answer.
    events: VecDeque<Value>,
    /// The address of the page that is open, without its fragment.
    page: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium; if Chromium is not installed, prints a message and returns `None`.
    pub(super) fn start() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let Some(program) = programs.into_iter().find(|program| program.is_file()) else {
            assert!(std::env::var_os("CI").is_none(), "no Chromium, which CI must have");
            skipped("no Chromium on this machine");
            return None;
        };
        let profile = directory(&[]);
        let mut process = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--remote-debugging-port=0", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = lines
            .find_map(|line| line.unwrap().strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("Chromium says where it listens");
        // The rest of the browser's output is read too, so that the pipe never fills up.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address).unwrap();
        let mut browser = Browser {
            process,
            socket,
            session: None,
            sent: 0,
            events: VecDeque::new(),
            page: String::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn receive(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(text.as_str()).unwrap();
            }
        }
    }

    /// Calls a method of the protocol and waits for its result.
    pub(super) fn call(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let mut answer = self.receive();
            if answer["id"] == json!(self.sent) {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push_back(answer);
        }
    }

    /// Waits for an event of this name, and keeps the events before it.
    fn wait(&mut self, method: &str) {
        while !self.events.iter().any(|event| event["method"] == method) {
            let event = self.receive();
            self.events.push_back(event);
        }
    }

    /// Opens a file and waits until it is loaded.
    pub(super) fn open(&mut self, file: &Path) {
        self.open_at(file, "");
    }

    /// Opens a file at a fragment, `#...`, as a link to it does, and waits until it is loaded.
    pub(super) fn open_at(&mut self, file: &Path, fragment: &str) {
        let address = format!("file://{}", file.display());
        if address == self.page {
            // Another fragment of the page that is open would load nothing.
            self.events.clear();
            self.call("Page.navigate", json!({ "url": "about:blank" }));
            self.wait("Page.loadEventFired");
        }
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("{address}{fragment}") }));
        self.wait("Page.loadEventFired");
        self.page = address;
    }

    /// Opens every fold of the page, as what is folded has no size.
    pub(super) fn unfold(&mut self) {
        self.value("document.querySelectorAll('details').forEach(fold => { fold.open = true; })");
    }

    /// Makes the window this large, on a screen or on paper, in this colour scheme.
    pub(super) fn resize(&mut self, [width, height]: [u32; 2], media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// The value of an expression of the page.
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Returns the errors and warnings since the page was opened, and the requested addresses other
    /// than the page and its embedded content.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        // The answer arrives after all earlier events.
        self.value("0");
        let complaint = |event: &Value| match event["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(event["params"].to_string()),
            "Runtime.consoleAPICalled" => Some(event["params"].to_string()),
            "Log.entryAdded" => Some(event["params"]["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let address = event["params"]["request"]["url"].as_str()?;
                let inside = address == self.page;
                (!inside && !address.starts_with("data:")).then(|| format!("asks for {address}"))
            }
            _ => None,
        };
        self.events.iter().filter_map(complaint).collect()
    }

    /// Takes a picture of the whole page if `FIVEFOLD_SCREENSHOTS` is set.
    pub(super) fn picture(&mut self, name: &str, width: u32, scheme: &str) {
        let Some(folder) = std::env::var_os("FIVEFOLD_SCREENSHOTS").map(PathBuf::from) else { return };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media);
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let shot = self.call("Page.captureScreenshot", json!({ "captureBeyondViewport": true }));
        let file = folder.join(format!("{name}-{width}-{scheme}.png.base64"));
        std::fs::write(file, shot["data"].as_str().unwrap()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
