"""A server with its storage, and short ways to export and import."""

import base64
import gzip
import json

from definitions import name, on_demand
from recovery.tables import Table, batch, until_active
from server import until

BUCKET = "bucket"
SETS = ("SS", "NS", "BS")


def same(value):
    """A value in which sets have an order, to be compared."""
    ((kind, inner),) = value.items()
    if kind in SETS:
        return {kind: sorted(inner)}
    if kind == "M":
        return {kind: {key: same(each) for key, each in inner.items()}}
    if kind == "L":
        return {kind: [same(each) for each in inner]}
    return value


def by_key(items):
    """Items as the contents of a table with the keys pk and sk, or pk alone."""
    found = {}
    for each in items:
        place = (str(each["pk"]), str(each.get("sk")))
        assert place not in found, f"{place} is there twice"
        found[place] = {key: same(value) for key, value in each.items()}
    return found


def contents(client, table, **more):
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True, **more)
    return by_key(each for page in pages for each in page["Items"])


def texts(value):
    """A value as JSON has it: bytes are base64."""
    ((kind, inner),) = value.items()
    if kind == "B":
        return {kind: base64.b64encode(inner).decode()}
    if kind == "BS":
        return {kind: [base64.b64encode(each).decode() for each in inner]}
    if kind == "M":
        return {kind: {key: texts(each) for key, each in inner.items()}}
    if kind == "L":
        return {kind: [texts(each) for each in inner]}
    return value


def as_json(item):
    return {key: texts(value) for key, value in item.items()}


def json_lines(items):
    """A file of items."""
    lines = (json.dumps({"Item": as_json(each)}, ensure_ascii=False) + "\n" for each in items)
    return "".join(lines).encode()


def simple(number, pk="p", **more):
    """An item of a table with a sort key."""
    return {"pk": {"S": pk}, "sk": {"S": f"{number:06}"}, "n": {"N": str(number)}, **more}


def definition(stem="table", **more):
    """A table with a sort key."""
    return on_demand(name(stem), "pk", "sk", **more)


def imported(stem="imported", *extra, ranges="sk", **more):
    """The definition of a table that is made by an import."""
    return on_demand(name(stem), "pk", ranges, *extra, **more)


class Site:
    """A server with its storage."""

    def __init__(self, server, store):
        self.server = server
        self.boto = server.boto
        self.wire = server.wire
        self.store = store

    def table(self, *items, recovery=True, **more):
        request = definition("source", **more)
        self.boto.create_table(**request)
        until_active(self.boto, request["TableName"])
        made = Table(self.server, request["TableName"], on=recovery)
        made.put(*items)
        return made

    def contents(self, table, **more):
        return contents(self.boto, table, **more)

    def begin_export(self, table, **more):
        request = {"TableArn": table.arn, "S3Bucket": BUCKET, **more}
        return self.boto.export_table_to_point_in_time(**request)["ExportDescription"]

    def exported(self, arn):
        """How an export ended."""

        def over():
            found = self.boto.describe_export(ExportArn=arn)["ExportDescription"]
            return found if found["ExportStatus"] != "IN_PROGRESS" else None

        return until(over, f"export {arn} is over")

    def export(self, table, **more):
        """Exports a table, which must succeed."""
        found = self.exported(self.begin_export(table, **more)["ExportArn"])
        assert found["ExportStatus"] == "COMPLETED", found
        return found

    def data_keys(self, export):
        """The keys of the data files, as the manifests name them."""
        summary = json.loads(self.store.get(BUCKET, export["ExportManifest"]))
        files = self.store.get(BUCKET, summary["manifestFilesS3Key"]).decode()
        return [json.loads(line)["dataFileS3Key"] for line in files.splitlines()]

    def data_lines(self, export):
        for key in self.data_keys(export):
            text = gzip.decompress(self.store.get(BUCKET, key)).decode()
            # Other characters than these may end lines too, but not those of a file of JSON.
            yield from (line for line in text.split("\n") if line)

    def exported_items(self, export):
        """The items of an export in JSON."""
        return by_key(json.loads(line)["Item"] for line in self.data_lines(export))

    def begin_import(self, request, prefix, form="DYNAMODB_JSON", packed="NONE", **more):
        source = {"S3Bucket": BUCKET, "S3KeyPrefix": prefix}
        answer = self.boto.import_table(
            **{
                "S3BucketSource": source,
                "InputFormat": form,
                "InputCompressionType": packed,
                "TableCreationParameters": request,
                **more,
            }
        )
        return answer["ImportTableDescription"]

    def import_over(self, arn):
        """How an import ended."""

        def over():
            found = self.boto.describe_import(ImportArn=arn)["ImportTableDescription"]
            return found if found["ImportStatus"] != "IN_PROGRESS" else None

        return until(over, f"import {arn} is over")

    def import_any(self, request, prefix, *rest, **more):
        """Imports, however that ends: its end."""
        begun = self.begin_import(request, prefix, *rest, **more)
        return self.import_over(begun["ImportArn"])

    def import_(self, request, prefix, *rest, **more):
        """Imports, which must succeed: the items of the table."""
        found = self.import_any(request, prefix, *rest, **more)
        assert found["ImportStatus"] == "COMPLETED", found
        until_active(self.boto, request["TableName"])
        return self.contents(request["TableName"])

    def import_export(self, export, form, request):
        """Imports what was exported."""
        prefix = export["ExportManifest"].removesuffix("manifest-summary.json") + "data/"
        return self.import_(request, prefix, form, "GZIP")

    def put(self, table, items):
        batch(self.boto, table, [{"PutRequest": {"Item": each}} for each in items])
