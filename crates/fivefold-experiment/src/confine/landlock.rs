//! Confinement by Landlock, a part of the Linux kernel.

use std::path::Path;
use std::sync::LazyLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use fivefold_results::freedom::Freedom;

use super::reach::Reach;

/// The newest version of Landlock that this code knows. With an older kernel, the kernel's version
/// is used.
const NEWEST: ABI = ABI::V10;

/// The freedoms that this kernel cannot take from a program.
pub(super) fn lacks() -> Vec<Freedom> {
    static LACKS: LazyLock<Vec<Freedom>> = LazyLock::new(|| {
        let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let can = |ruleset: Result<Ruleset, RulesetError>| ruleset.and_then(Ruleset::create).is_ok();
        let known = [
            (Freedom::Files, can(hard().handle_access(AccessFs::from_all(ABI::V1)))),
            (Freedom::Truncation, can(hard().handle_access(AccessFs::Truncate))),
            (Freedom::Network, can(hard().handle_access(AccessNet::from_all(ABI::V4)))),
        ];
        known.into_iter().filter(|(_, can)| !can).map(|(freedom, _)| freedom).collect()
    });
    LACKS.clone()
}

pub(super) fn confine(reach: &Reach, folder: &Path) -> Result<(), String> {
    let enforced = restrict(reach, folder).map_err(|error| error.to_string())?;
    if enforced == RulesetStatus::NotEnforced { Err("the system has no Landlock".to_owned()) } else { Ok(()) }
}

fn restrict(reach: &Reach, folder: &Path) -> Result<RulesetStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    // A program that can make a device file can read the disk through it.
    let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::from_all(NEWEST))?;
    if !reach.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(&reach.read, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(&reach.write, write))?
        .add_rules(path_beneath_rules([folder], write))?
        .restrict_self()?;
    Ok(status.ruleset)
}
