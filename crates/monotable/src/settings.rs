//! The settings that hold: flags and environment over the file over defaults.

use crate::cli::{DurabilityOption, LogFormat, ServeOptions};
use std::{
    env, fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

const DEFAULT_PORT: u16 = 8000;
const DEFAULT_CACHE_MB: u64 = 160;

/// What `serve` goes by.
#[derive(Debug, PartialEq, Eq)]
pub struct Settings {
    pub address: SocketAddr,
    pub storage: Storage,
    pub engine: engine::Settings,
    pub transfers: Option<TransferStorage>,
    pub client_patience: Duration,
    pub log: String,
    pub log_format: LogFormat,
}

/// Where exports go to and imports come from.
#[derive(Debug, PartialEq, Eq)]
pub enum TransferStorage {
    S3 { endpoint: String, region: String, access_key: String, secret_key: String },
    Directory(PathBuf),
}

/// Where the data is.
#[derive(Debug, PartialEq, Eq)]
pub enum Storage {
    Memory,
    Directory { path: PathBuf, durability: DurabilityOption, cache_mb: u64 },
}

/// Settings that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("cannot read the settings in {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the settings in {} do not make sense: {source}", path.display())]
    Unparsable { path: PathBuf, source: Box<toml::de::Error> },
    #[error("'{0}' is not a time; write it like 500ms or 2s")]
    Time(String),
    #[error(
        "{0} can be reached from other machines, and access keys are not supported yet. \
         Add --no-auth if everyone who can connect may read and change the data"
    )]
    Exposed(IpAddr),
    #[error("there is no home directory to put the data in; choose one with --data DIR")]
    NoHome,
    #[error("--s3-endpoint and --storage-dir exclude each other; the settings ask for both")]
    TwoStorages,
    #[error("--s3-endpoint needs --s3-access-key and --s3-secret-key")]
    NoStorageKeys,
    #[error("--memory and --data exclude each other; the settings ask for both")]
    MemoryAndData,
}

impl Settings {
    /// Puts the sources together.
    pub fn resolve(options: ServeOptions) -> Result<Settings, SettingsError> {
        let file = options.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let storage = storage(&options, &file)?;
        let host = options.host.or(file.host).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let no_auth = options.no_auth.or(file.no_auth).unwrap_or(false);
        if !host.is_loopback() && !no_auth {
            return Err(SettingsError::Exposed(host));
        }
        let transfers = transfer_storage(&options, &file)?;
        let defaults = engine::Settings::default();
        let limit = options.collection_limit.or(file.collection_limit);
        let limit = limit.and_then(|bytes| i64::try_from(bytes).ok());
        let shards = options.stream_shards.or(file.stream_shards);
        let engine = engine::Settings {
            table_delay: time(options.table_delay.or(file.table_delay), defaults.table_delay)?,
            read_lag: time(options.gsi_lag.or(file.gsi_lag), defaults.read_lag)?,
            collection_limit: limit.unwrap_or(defaults.collection_limit),
            stream_shards: shards.unwrap_or(defaults.stream_shards),
            shard_age: time(options.shard_age.or(file.shard_age), defaults.shard_age)?,
            ttl_delay: time(options.ttl_delay.or(file.ttl_delay), defaults.ttl_delay)?,
        };
        Ok(Settings {
            address: SocketAddr::new(host, options.port.or(file.port).unwrap_or(DEFAULT_PORT)),
            storage,
            engine,
            transfers,
            client_patience: time(
                options.client_patience.or(file.client_patience),
                server::Limits::PATIENCE,
            )?,
            log: options.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            log_format: options.log_format.or(file.log_format).unwrap_or(LogFormat::Text),
        })
    }
}

fn time(given: Option<String>, default: Duration) -> Result<Duration, SettingsError> {
    let Some(text) = given else { return Ok(default) };
    humantime::parse_duration(&text).map_err(|_| SettingsError::Time(text))
}

fn read(path: &Path) -> Result<ServeOptions, SettingsError> {
    let text = fs::read_to_string(path)
        .map_err(|source| SettingsError::Unreadable { path: path.to_owned(), source })?;
    toml::from_str(&text).map_err(|source| SettingsError::Unparsable {
        path: path.to_owned(),
        source: Box::new(source),
    })
}

fn transfer_storage(
    options: &ServeOptions,
    file: &ServeOptions,
) -> Result<Option<TransferStorage>, SettingsError> {
    let given = |own: &Option<String>, other: &Option<String>| own.clone().or(other.clone());
    let directory = options.storage_dir.clone().or_else(|| file.storage_dir.clone());
    let endpoint = given(&options.s3_endpoint, &file.s3_endpoint);
    match (endpoint, directory) {
        (Some(_), Some(_)) => Err(SettingsError::TwoStorages),
        (None, directory) => Ok(directory.map(TransferStorage::Directory)),
        (Some(endpoint), None) => {
            let access_key = given(&options.s3_access_key, &file.s3_access_key);
            let secret_key = given(&options.s3_secret_key, &file.s3_secret_key);
            let (Some(access_key), Some(secret_key)) = (access_key, secret_key) else {
                return Err(SettingsError::NoStorageKeys);
            };
            let region = given(&options.s3_region, &file.s3_region);
            let region = region.unwrap_or_else(|| "us-east-1".to_owned());
            Ok(Some(TransferStorage::S3 { endpoint, region, access_key, secret_key }))
        }
    }
}

/// A flag for one kind of storage wins over the file's wish for the other.
fn storage(options: &ServeOptions, file: &ServeOptions) -> Result<Storage, SettingsError> {
    let memory = match (options.memory, &options.data) {
        (Some(true), Some(_)) => return Err(SettingsError::MemoryAndData),
        (Some(memory), _) => memory,
        (None, Some(_)) => false,
        (None, None) => match (file.memory, &file.data) {
            (Some(true), Some(_)) => return Err(SettingsError::MemoryAndData),
            (memory, _) => memory.unwrap_or(false),
        },
    };
    if memory {
        return Ok(Storage::Memory);
    }
    let path = match options.data.clone().or_else(|| file.data.clone()) {
        Some(path) => path,
        None => default_directory()?,
    };
    let durability = options.durability.or(file.durability).unwrap_or(DurabilityOption::Sync);
    let cache_mb = options.cache_mb.or(file.cache_mb).unwrap_or(DEFAULT_CACHE_MB);
    Ok(Storage::Directory { path, durability, cache_mb })
}

/// `$STATE_DIRECTORY` under systemd, else the XDG data directory.
fn default_directory() -> Result<PathBuf, SettingsError> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(state) = set("STATE_DIRECTORY") {
        return Ok(state);
    }
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(set("HOME")?.join(".local/share")));
    data.map(|data| data.join("monotable")).ok_or(SettingsError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file(text: &str, mut options: ServeOptions) -> Result<Settings, SettingsError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monotable.toml");
        fs::write(&path, text).unwrap();
        options.config = Some(path);
        Settings::resolve(options)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let file = "port = 1\ndata = \"/from/file\"\ntable-delay = \"2s\"\ndurability = \"os\"\n";
        let options = ServeOptions { port: Some(2), ..ServeOptions::default() };
        let settings = with_file(file, options).unwrap();
        assert_eq!(settings.address.port(), 2);
        assert_eq!(settings.engine.table_delay, Duration::from_secs(2));
        assert_eq!(settings.engine.shard_age, engine::Settings::default().shard_age);
        assert_eq!(
            settings.storage,
            Storage::Directory {
                path: "/from/file".into(),
                durability: DurabilityOption::Os,
                cache_mb: DEFAULT_CACHE_MB,
            }
        );
        assert_eq!(settings.log_format, LogFormat::Text);
    }

    #[test]
    fn a_storage_flag_replaces_the_file_s_storage() {
        let memory = ServeOptions { memory: Some(true), ..ServeOptions::default() };
        assert_eq!(with_file("data = \"/x\"", memory).unwrap().storage, Storage::Memory);
        let data = ServeOptions { data: Some("/y".into()), ..ServeOptions::default() };
        let storage = with_file("memory = true", data).unwrap().storage;
        assert!(matches!(storage, Storage::Directory { path, .. } if path == Path::new("/y")));
    }

    #[test]
    fn other_machines_need_a_word() {
        let open = |no_auth| ServeOptions {
            host: Some("0.0.0.0".parse().unwrap()),
            memory: Some(true),
            no_auth,
            ..ServeOptions::default()
        };
        assert!(matches!(Settings::resolve(open(None)), Err(SettingsError::Exposed(_))));
        assert!(Settings::resolve(open(Some(true))).is_ok());
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (text, word) in [("prot = 1", "prot"), ("port = \"x\"", "port"), ("= 1", "TOML")] {
            let error = with_file(text, ServeOptions::default()).unwrap_err().to_string();
            assert!(error.contains("monotable.toml"), "{error}");
            assert!(error.contains(word) || word == "TOML", "{error}");
        }
        let delay = ServeOptions {
            table_delay: Some("soon".into()),
            memory: Some(true),
            ..ServeOptions::default()
        };
        assert!(Settings::resolve(delay).unwrap_err().to_string().contains("'soon'"));
    }
}
