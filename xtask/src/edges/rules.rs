//! Which crate may depend on which, and which crates a dependency with a duty belongs to.

/// A package of the workspace and the packages of the workspace that it may use.
#[derive(Debug)]
pub struct Layer {
    /// Its package name.
    pub package: &'static str,
    /// What its code and its tests may use.
    pub may_use: &'static [&'static str],
    /// What its tests alone may use besides.
    pub tests_may_use: &'static [&'static str],
}

const EVENTS: &str = "dispatch-events";
const PROJECTIONS: &str = "dispatch-projections";
const ACTORS: &str = "dispatch-actors";
const ADAPTERS: &str = "dispatch-adapters";
const BINARY: &str = "dispatch";
const FAR_SIDE: &str = "far-side";
const POWER_CUT: &str = "power-cut";
const XTASK: &str = "xtask";

/// The order of crates, lowest first. Two stand apart: `far-side` must not share its code, and so its mistakes, with the
/// host that it tests, and `xtask` must build when the crates that it judges do not.
pub const LAYERS: [Layer; 8] = [
    Layer { package: EVENTS, may_use: &[], tests_may_use: &[] },
    Layer { package: PROJECTIONS, may_use: &[EVENTS], tests_may_use: &[] },
    Layer { package: ACTORS, may_use: &[EVENTS, PROJECTIONS], tests_may_use: &[] },
    Layer { package: ADAPTERS, may_use: &[EVENTS, PROJECTIONS, ACTORS], tests_may_use: &[] },
    Layer {
        package: BINARY,
        may_use: &[EVENTS, PROJECTIONS, ACTORS, ADAPTERS],
        tests_may_use: &[FAR_SIDE, POWER_CUT, XTASK],
    },
    Layer { package: FAR_SIDE, may_use: &[], tests_may_use: &[] },
    Layer { package: POWER_CUT, may_use: &[EVENTS], tests_may_use: &[] },
    Layer { package: XTASK, may_use: &[], tests_may_use: &[] },
];

/// Packages that only tests use: what their code depends on is bound as little as tests are.
pub const FOR_TESTS: [&str; 2] = [FAR_SIDE, POWER_CUT];

/// Dependencies with one duty, and the packages that have it. It binds code; tests may reach for anything.
#[derive(Debug)]
pub struct Owned {
    /// What the dependency is for.
    pub duty: &'static str,
    /// Names of packages; one that ends in `*` stands for all names that begin so.
    pub names: &'static [&'static str],
    /// The packages whose code may use it.
    pub owners: &'static [&'static str],
}

impl Owned {
    /// Whether this rule is about `package`.
    pub fn covers(&self, package: &str) -> bool {
        self.names.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => package.starts_with(beginning),
            None => package == *name,
        })
    }
}

/// The first rule that covers a name decides.
pub const OWNERS: [Owned; 8] = [
    Owned {
        duty: "HTTP",
        names: &[
            "actix-web*",
            "actix-http",
            "awc",
            "axum*",
            "eventsource*",
            "http*",
            "hyper*",
            "reqwest*",
            "tungstenite",
            "tokio-tungstenite",
        ],
        owners: &[ADAPTERS],
    },
    Owned { duty: "TLS", names: &["rustls*", "webpki*"], owners: &[ADAPTERS, EVENTS] },
    Owned { duty: "actors", names: &["actix", "actix-*"], owners: &[ACTORS, ADAPTERS] },
    Owned {
        duty: "the event log's engine",
        names: &["sled", "postgres*", "tokio-postgres*", "sqlx*"],
        owners: &[EVENTS],
    },
    Owned {
        duty: "the log's and the catalog's engine",
        names: &["rusqlite", "libsqlite3-sys"],
        owners: &[EVENTS, PROJECTIONS],
    },
    Owned { duty: "the payload codec", names: &["bincode*"], owners: &[EVENTS] },
    Owned {
        duty: "the command line and its files",
        names: &["clap*", "comfy-table", "toml*"],
        owners: &[ADAPTERS, XTASK],
    },
    Owned { duty: "I/O", names: &["tokio", "tokio-*", "rustix", "async-*"], owners: &[EVENTS, ACTORS, ADAPTERS] },
];
