//! A bare HTTP server with the settings of Monotable's: what a request costs if there is no
//! database. It reads the body and answers bytes it was given.

use super::BareOptions;
use crate::{
    Failure,
    http::Endpoint,
    load::{Answers, Contender, Pace, Plan, Role, Round, Target, Workload},
    process::Process,
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, Response,
    body::Incoming,
    header::{self, HeaderName, HeaderValue},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use serde_json::Value;
use std::{
    collections::HashMap,
    convert::Infallible,
    env, fs,
    io::{BufRead, BufReader},
    net::Ipv4Addr,
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;

const MOST_HEADERS: usize = 400;
const HEADER_PATIENCE: Duration = Duration::from_secs(60);
/// As long as those of the server.
const REQUEST_ID: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRST";
const CRC32: &str = "4294967295";

/// Serves until it is killed.
pub fn serve(options: &BareOptions) -> Result<bool, Failure> {
    let mut answers = HashMap::new();
    if let Some(path) = &options.answers {
        let read: HashMap<String, Value> = serde_json::from_slice(&fs::read(path)?)?;
        for (operation, body) in read {
            let body = body.as_str().ok_or("an answer is not a string")?;
            answers.insert(operation, Bytes::from(body.to_owned()));
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(listen(options.port, Arc::new(answers)))
}

async fn listen(port: u16, answers: Arc<HashMap<String, Bytes>>) -> Result<bool, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        tokio::spawn(async move {
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_PATIENCE)
                .max_headers(MOST_HEADERS);
            let service = service_fn(move |request| answer(request, Arc::clone(&answers)));
            // A client that goes away is no news.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    answers: Arc<HashMap<String, Bytes>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let _ = body.collect().await;
    let target = parts.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| target.rsplit('.').next()).unwrap_or_default();
    let body = answers.get(operation).cloned().unwrap_or_else(|| Bytes::from_static(b"{}"));
    let mut answer = Response::new(Full::new(body));
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::SERVER, "Monotable"),
        (header::CONTENT_TYPE, "application/x-amz-json-1.0"),
        (HeaderName::from_static("x-amz-crc32"), CRC32),
        (HeaderName::from_static("x-amzn-requestid"), REQUEST_ID),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(answer)
}

/// The bare server as a contender: started for each measurement with the answers of its workload.
pub struct Bare {
    /// What Monotable has answered.
    answers: Answers,
    file: PathBuf,
}

impl Bare {
    /// It will answer so; `file` is where it is told.
    pub fn new(answers: Answers, file: PathBuf) -> Bare {
        Bare { answers, file }
    }

    fn start(&self, workload: Workload) -> Result<(Process, Endpoint), Failure> {
        let mut told = serde_json::Map::new();
        for ((of, operation), body) in &self.answers {
            if *of == workload {
                let body = String::from_utf8(body.clone())?;
                told.insert((*operation).to_owned(), Value::String(body));
            }
        }
        fs::write(&self.file, Value::Object(told).to_string())?;
        let mut command = Command::new(env::current_exe()?);
        command.arg("bare").arg("--answers").arg(&self.file);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = Process::start(&mut command)?;
        let mut line = String::new();
        if let Some(output) = process.output() {
            BufReader::new(output).read_line(&mut line)?;
        }
        Ok((process, Endpoint::parse(line.trim())?))
    }
}

impl Contender for Bare {
    fn name(&self) -> &'static str {
        "bare"
    }

    fn role(&self) -> Role {
        Role::Limit
    }

    fn measure(
        &mut self,
        workload: Workload,
        connections: u32,
        pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String> {
        let (_process, endpoint) = self.start(workload).map_err(|error| error.to_string())?;
        Target::new("bare", &endpoint).measure(workload, connections, pace, plan)
    }
}
