"""Where exports go to and imports come from: an S3 server, or a directory."""

import json
import pathlib
import random
import shutil
import socket
import subprocess
import sysconfig
import time

import boto3
import botocore.exceptions
from botocore.config import Config

from server import PATIENCE, environment, until

ADMIN = ("testkey", "testsecret")
READER = ("readkey", "readsecret")
# Each service has a second port, so much above its first.
SECOND_PORT = 10_000


def identity(name, keys, *actions):
    credentials = [{"accessKey": keys[0], "secretKey": keys[1]}]
    return {"name": name, "credentials": credentials, "actions": actions}


IDENTITIES = [
    identity("admin", ADMIN, "Admin", "Read", "List", "Tagging", "Write"),
    identity("reader", READER, "Read", "List"),
]


def free(port):
    """Whether nobody listens there."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count):
    """Ports that are free, and whose second ports are."""
    found = set()
    while len(found) < count:
        port = random.randrange(11_000, 22_000)
        if free(port) and free(port + SECOND_PORT):
            found.add(port)
    return list(found)


class S3:
    """Buckets of an S3 server."""

    kind = "s3"

    def __init__(self, endpoint, keys=ADMIN):
        self.endpoint = endpoint
        self.keys = keys
        config = Config(
            retries={"total_max_attempts": 1},
            s3={"addressing_style": "path"},
            connect_timeout=5,
            read_timeout=30,
            proxies={},
        )
        self.client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id=keys[0],
            aws_secret_access_key=keys[1],
            config=config,
        )

    def arguments(self, keys=None):
        """How a server is told of it."""
        key, secret = keys or self.keys
        given = ["--s3-endpoint", self.endpoint, "--s3-access-key", key]
        return [*given, "--s3-secret-key", secret, "--s3-region", "us-east-1"]

    def make_bucket(self, bucket):
        def made():
            try:
                return self.client.create_bucket(Bucket=bucket)
            except (botocore.exceptions.ClientError, botocore.exceptions.BotoCoreError):
                # It takes a while until the server can store anything.
                time.sleep(0.2)
                return None

        until(made, f"there is a bucket {bucket}")

    def put(self, bucket, key, body):
        self.client.put_object(Bucket=bucket, Key=key, Body=body)

    def get(self, bucket, key):
        return self.client.get_object(Bucket=bucket, Key=key)["Body"].read()

    def etag(self, bucket, key):
        return self.client.head_object(Bucket=bucket, Key=key)["ETag"].strip('"')

    def keys_of(self, bucket, prefix=""):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return sorted(each["Key"] for page in pages for each in page.get("Contents", []))


class Folder:
    """Buckets in a directory."""

    kind = "folder"

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def arguments(self):
        return ["--storage-dir", self.directory]

    def make_bucket(self, bucket):
        (self.directory / bucket).mkdir(parents=True)

    def put(self, bucket, key, body):
        place = self.directory / bucket / key
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)

    def get(self, bucket, key):
        return (self.directory / bucket / key).read_bytes()

    def keys_of(self, bucket, prefix=""):
        root = self.directory / bucket
        files = (each for each in root.rglob("*") if each.is_file())
        keys = (each.relative_to(root).as_posix() for each in files)
        return sorted(key for key in keys if key.startswith(prefix))


class SeaweedFS:
    """An S3 server of its own process."""

    def __init__(self, directory):
        program = pathlib.Path(sysconfig.get_path("scripts")) / "weed"
        program = program if program.exists() else shutil.which("weed")
        assert program, "the S3 server of requirements.txt is not installed"
        identities = directory / "s3.json"
        identities.write_text(json.dumps({"identities": IDENTITIES}))
        data = directory / "objects"
        data.mkdir()
        master, volume, filer, s3 = free_ports(4)
        self.log = (directory / "log").open("wb")
        self.process = subprocess.Popen(
            [
                program,
                "server",
                f"-dir={data}",
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                f"-master.port={master}",
                f"-volume.port={volume}",
                "-filer",
                f"-filer.port={filer}",
                "-s3",
                f"-s3.port={s3}",
                f"-s3.config={identities}",
                "-master.volumeSizeLimitMB=64",
                "-volume.max=50",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            env=environment(),
            cwd=directory,
        )
        self.endpoint = f"http://127.0.0.1:{s3}"

    def stop(self):
        # What it stores is of no use to anybody, and it takes its time to end by itself.
        self.process.kill()
        self.process.wait(PATIENCE)
        self.log.close()
