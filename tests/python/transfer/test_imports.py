"""Imports: files of every kind into a new table."""

import concurrent.futures
import gzip
import pathlib
import uuid

import pytest

from definitions import index, name, projection
from recovery.tables import until_active
from server import until
from transfer.site import BUCKET, Site, by_key, contents, imported, json_lines, simple

OBJECTS = pathlib.Path(__file__).parent / "objects"
INVALID = (
    "Some of the items failed validation checks and were not imported. "
    "Please check CloudWatch error logs for more details."
)
# What is in objects/items.json.zst.
PACKED = [simple(n, pk=f"p{n % 5}", text={"S": "again and again " * (n % 9)}) for n in range(60)]


@pytest.mark.parametrize("packed", ["NONE", "GZIP", "ZSTD"])
def test_compressed_files(site, prefix, packed):
    plain = json_lines(PACKED)
    if packed == "ZSTD":
        bodies = [(OBJECTS / "items.json.zst").read_bytes()]
    else:
        lines = plain.splitlines(keepends=True)
        bodies = [b"".join(lines[:20]), b"".join(lines[20:])]
        if packed == "GZIP":
            # One of several members, as files that were put together have.
            members = gzip.compress(lines[20]) + gzip.compress(b"".join(lines[21:]))
            bodies = [gzip.compress(bodies[0]), members]
    for number, body in enumerate(bodies):
        # The extension says nothing.
        site.store.put(BUCKET, f"{prefix}/{number}.csv", body)
    request = imported()
    found = site.import_any(request, prefix + "/", "DYNAMODB_JSON", packed)
    assert (found["ImportStatus"], found["ErrorCount"]) == ("COMPLETED", 0)
    assert found["ProcessedItemCount"] == found["ImportedItemCount"] == len(PACKED)
    assert found["InputCompressionType"] == packed
    assert found["ProcessedSizeBytes"] > 0
    assert site.contents(request["TableName"]) == by_key(PACKED)


@pytest.mark.parametrize("packed", ["GZIP", "ZSTD"])
def test_files_that_are_not_compressed_as_was_said(site, prefix, packed):
    site.store.put(BUCKET, f"{prefix}/x", json_lines(PACKED))
    found = site.import_any(imported(), prefix + "/", "DYNAMODB_JSON", packed)
    assert (found["ImportStatus"], found["ImportedItemCount"]) == ("FAILED", 0)
    assert found["FailureCode"] and found["FailureMessage"]


def test_files_of_ion(site, prefix):
    text = (
        '$ion_1_0 {Item:{pk:"a",sk:"1",n:6d2,b:{{AP8=}},s:$dynamodb_SS::["x","y"],z:null}}\n'
        '$ion_1_0 {Item:{pk:"a",sk:"2",n:103.,ns:$dynamodb_NS::[1.,2.5],l:[true,{k:"v"}]}}\n'
        '$ion_1_0 {Item:{"pk":"\\u00fc",\'sk\':"\\"",bs:$dynamodb_BS::[{{AQ==}}],n:-0.5}}\n'
    )
    site.store.put(BUCKET, f"{prefix}/x.ion", text.encode())
    assert site.import_(imported(), prefix + "/", "ION") == by_key(
        [
            {
                "pk": {"S": "a"},
                "sk": {"S": "1"},
                "n": {"N": "600"},
                "b": {"B": b"\x00\xff"},
                "s": {"SS": ["x", "y"]},
                "z": {"NULL": True},
            },
            {
                "pk": {"S": "a"},
                "sk": {"S": "2"},
                "n": {"N": "103"},
                "ns": {"NS": ["1", "2.5"]},
                "l": {"L": [{"BOOL": True}, {"M": {"k": {"S": "v"}}}]},
            },
            {"pk": {"S": "\u00fc"}, "sk": {"S": '"'}, "bs": {"BS": [b"\x01"]}, "n": {"N": "-0.5"}},
        ]
    )


def test_only_the_prefix_is_read(site, prefix):
    for key, n in ((f"{prefix}/in/a", 1), (f"{prefix}/in/deep/b", 2), (f"{prefix}/inner", 3)):
        site.store.put(BUCKET, key, json_lines([simple(n)]))
    site.store.put(BUCKET, f"{prefix}/out", json_lines([simple(4)]))
    assert site.import_(imported(), f"{prefix}/in/") == by_key([simple(1), simple(2)])


@pytest.mark.parametrize("delimiter", [",", ";", ":", "|", "\t", " "])
def test_delimiters_of_csv(s3_site, delimiter):
    site = s3_site
    folder = name("csv")
    rows = [["pk", "sk", "x"], ["a", "1", f'"one{delimiter}two"'], ["b", "2", '"say ""hi"""']]
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    site.store.put(BUCKET, f"{folder}/x.csv", text.encode())
    options = {"Csv": {"Delimiter": delimiter}}
    request = imported()
    found = site.import_any(request, folder + "/", "CSV", InputFormatOptions=options)
    assert (found["ImportStatus"], found["ImportedItemCount"]) == ("COMPLETED", 2)
    assert found["InputFormatOptions"]["Csv"]["Delimiter"] == delimiter
    assert site.contents(request["TableName"]) == by_key(
        [
            {"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": f"one{delimiter}two"}},
            {"pk": {"S": "b"}, "sk": {"S": "2"}, "x": {"S": 'say "hi"'}},
        ]
    )


def typed(kinds):
    return [{"AttributeName": each, "AttributeType": kind} for each, kind in kinds.items()]


def test_types_of_csv(site, prefix):
    """Keys of the table and of its indexes have their types, the rest is text."""
    text = (
        "pk,sk,g,h,other,empty\r\n"
        '1,AQ==,2.50,gh,3,\r\n'
        '-7,AP8=,,gh,"two\nlines",\r\n'
        "1e3,AA==,0,,true,\r\n"
        "\r\n"
    )
    site.store.put(BUCKET, f"{prefix}/x.csv", text.encode())
    request = imported(
        AttributeDefinitions=typed({"pk": "N", "sk": "B", "g": "N", "h": "S"}),
        GlobalSecondaryIndexes=[
            index("by-g", "g", "h"),
            index("by-h", "h", (), projection("KEYS_ONLY")),
        ],
    )
    first = {
        "pk": {"N": "1"},
        "sk": {"B": b"\x01"},
        "g": {"N": "2.5"},
        "h": {"S": "gh"},
        "other": {"S": "3"},
    }
    second = {"pk": {"N": "-7"}, "sk": {"B": b"\x00\xff"}, "h": {"S": "gh"}}
    second["other"] = {"S": "two\nlines"}
    third = {"pk": {"N": "1000"}, "sk": {"B": b"\x00"}, "g": {"N": "0"}, "other": {"S": "true"}}
    assert site.import_(request, prefix + "/", "CSV") == by_key([first, second, third])
    table = request["TableName"]
    scan = site.boto.scan(TableName=table, IndexName="by-g")["Items"]
    assert by_key(scan) == by_key([first])
    query = site.boto.query(
        TableName=table,
        IndexName="by-h",
        KeyConditionExpression="h = :h",
        ExpressionAttributeValues={":h": {"S": "gh"}},
    )
    assert query["Count"] == 2
    indexes = site.boto.describe_table(TableName=table)["Table"]["GlobalSecondaryIndexes"]
    assert {each["IndexName"]: (each["IndexStatus"], each["ItemCount"]) for each in indexes} == {
        "by-g": ("ACTIVE", 1),
        "by-h": ("ACTIVE", 2),
    }


def test_names_of_columns_that_are_given(site, prefix):
    site.store.put(BUCKET, f"{prefix}/x.csv", b"pk,sk,x\na,1\nb,2,\n")
    options = {"Csv": {"HeaderList": ["pk", "sk", "third"]}}
    found = site.import_(imported(), prefix + "/", "CSV", InputFormatOptions=options)
    assert found == by_key(
        [
            {"pk": {"S": "pk"}, "sk": {"S": "sk"}, "third": {"S": "x"}},
            {"pk": {"S": "a"}, "sk": {"S": "1"}},
            {"pk": {"S": "b"}, "sk": {"S": "2"}},
        ]
    )


def test_names_of_columns_that_are_given_twice(folder_site):
    """One of the two columns would be lost."""
    site = folder_site
    request = imported()
    body = {
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": "x"},
        "InputFormat": "CSV",
        "InputFormatOptions": {"Csv": {"HeaderList": ["pk", "sk", "a", "b", "a"]}},
        "TableCreationParameters": request,
    }
    status, kind, text = site.wire.refused("ImportTable", body)
    assert (status, kind) == (400, "ValidationException")
    assert "HeaderList" in text
    assert request["TableName"] not in site.boto.list_tables()["TableNames"]


def test_names_of_a_header_that_are_there_twice(site, prefix):
    """Without names no row of that file means anything; others go on."""
    site.store.put(BUCKET, f"{prefix}/a.csv", b"pk,sk,x,x\na,1,2,3\nb,1,2,3\n")
    site.store.put(BUCKET, f"{prefix}/b.csv", b"pk,sk,x\nc,1,2\n")
    request = imported()
    found = site.import_any(request, prefix + "/", "CSV")
    assert (found["ImportStatus"], found["FailureCode"]) == ("FAILED", "ItemValidationError")
    counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
    assert counts == [1, 2, 1]
    assert site.contents(request["TableName"]) == by_key(
        [{"pk": {"S": "c"}, "sk": {"S": "1"}, "x": {"S": "2"}}]
    )


@pytest.mark.parametrize("form", ["CSV", "DYNAMODB_JSON", "ION"])
def test_a_prefix_without_objects(site, prefix, form):
    """There is nothing wrong, and nothing to import."""
    # What consoles put in the place of a folder is no object to read.
    site.store.put(BUCKET, f"{prefix}/empty", b"")
    request = imported()
    found = site.import_any(request, prefix + "/", form)
    assert found["ImportStatus"] == "COMPLETED"
    counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
    assert counts == [0, 0, 0] and found["ProcessedSizeBytes"] == 0
    assert until_active(site.boto, request["TableName"])["ItemCount"] == 0


def test_every_file_of_csv_has_its_header(site, prefix):
    site.store.put(BUCKET, f"{prefix}/a.csv", b"pk,sk,x\na,1,left\n")
    site.store.put(BUCKET, f"{prefix}/b.csv", b"sk,y,pk\n2,right,b\n")
    assert site.import_(imported(), prefix + "/", "CSV") == by_key(
        [
            {"pk": {"S": "a"}, "sk": {"S": "1"}, "x": {"S": "left"}},
            {"pk": {"S": "b"}, "sk": {"S": "2"}, "y": {"S": "right"}},
        ]
    )


BAD_LINES = {
    "no JSON": b"{",
    "no item": b'{"pk":{"S":"x"},"sk":{"S":"x"}}',
    "no key": b'{"Item":{"pk":{"S":"x"}}}',
    "a key of the wrong type": b'{"Item":{"pk":{"N":"1"},"sk":{"S":"x"}}}',
    "an empty key": b'{"Item":{"pk":{"S":""},"sk":{"S":"x"}}}',
    "an index key of the wrong type": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"g":{"S":"1"}}}',
    "no number": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"N":"one"}}}',
    "too many digits": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"N":"' + b"1" * 39 + b'"}}}',
    "no such type": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"X":"1"}}}',
    "an empty set": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"SS":[]}}}',
    "twice in a set": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"SS":["a","a"]}}}',
    "no base64": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"B":"?"}}}',
    "too large": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":{"S":"' + b"x" * 410_000 + b'"}}}',
    "too long a key": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"' + b"x" * 1025 + b'"}}}',
    "no UTF-8": b'{"Item":{"pk":{"S":"\xff"},"sk":{"S":"x"}}}',
    "too deep": b'{"Item":{"pk":{"S":"x"},"sk":{"S":"x"},"n":'
    + b'{"L":[' * 40
    + b'{"S":""}'
    + b"]}" * 40
    + b"}}",
}


def indexed():
    return imported(
        AttributeDefinitions=typed({"pk": "S", "sk": "S", "g": "N"}),
        GlobalSecondaryIndexes=[index("by-g", "g")],
    )


@pytest.mark.parametrize("bad", BAD_LINES)
def test_a_bad_item_costs_only_itself(folder_site, bad):
    site = folder_site
    folder = name("bad")
    good = [simple(n) for n in range(4)]
    body = json_lines(good[:2]) + BAD_LINES[bad] + b"\n" + json_lines(good[2:])
    site.store.put(BUCKET, f"{folder}/x.json", body)
    request = indexed()
    found = site.import_any(request, folder + "/")
    assert (found["ImportStatus"], found["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert found["FailureMessage"] == INVALID
    counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
    assert counts == [1, 5, 4]
    assert until_active(site.boto, request["TableName"])["ItemCount"] == 4
    assert site.contents(request["TableName"]) == by_key(good)


def test_many_bad_items_in_several_files(s3_site, prefix):
    site = s3_site
    good = [simple(n) for n in range(900)]
    for part in range(3):
        lines = json_lines(good[part::3]).splitlines(keepends=True)
        broken = list(BAD_LINES.values())
        mixed = [lines[n] + broken[n % len(broken)] + b"\n" for n in range(20)] + lines[20:]
        site.store.put(BUCKET, f"{prefix}/{part}", b"".join(mixed))
    request = indexed()
    found = site.import_any(request, prefix + "/")
    assert (found["ImportStatus"], found["FailureMessage"]) == ("FAILED", INVALID)
    counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
    assert counts == [60, 960, 900]
    assert site.contents(request["TableName"]) == by_key(good)


@pytest.mark.parametrize(
    "row", ["one,x", ",x", "1,x,more", "1," + "x" * 410_000], ids=["type", "key", "columns", "size"]
)
def test_a_bad_row_costs_only_itself(folder_site, row):
    site = folder_site
    folder = name("bad")
    site.store.put(BUCKET, f"{folder}/x.csv", f"pk,x\n10,a\n{row}\n20,b\n".encode())
    request = imported(ranges=(), AttributeDefinitions=typed({"pk": "N"}))
    found = site.import_any(request, folder + "/", "CSV")
    assert (found["ImportStatus"], found["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert (found["ErrorCount"], found["ImportedItemCount"]) == (1, 2)
    assert set(site.contents(request["TableName"])) == {
        (str({"N": "10"}), "None"),
        (str({"N": "20"}), "None"),
    }


def test_items_with_the_same_key(site, prefix):
    """They are no errors, and one of them is there."""
    items = [simple(n % 10, turn={"N": str(n)}) for n in range(500)]
    for part in range(2):
        site.store.put(BUCKET, f"{prefix}/{part}", json_lines(items[part::2]))
    request = imported()
    found = site.import_any(request, prefix + "/")
    assert (found["ImportStatus"], found["ErrorCount"]) == ("COMPLETED", 0)
    assert found["ProcessedItemCount"] == 500
    there = site.contents(request["TableName"])
    assert len(there) == 10
    given = [by_key([each]) for each in items]
    assert all({place: each} in given for place, each in there.items())
    assert site.boto.describe_table(TableName=request["TableName"])["Table"]["ItemCount"] == 10


def test_the_description_of_an_import(s3_site, prefix):
    site = s3_site
    site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(1)]))
    request = imported(
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
    )
    begun = site.begin_import(request, prefix + "/", ClientToken="a-token-of-an-import")
    table = site.boto.describe_table(TableName=request["TableName"])["Table"]
    assert begun["ImportStatus"] == "IN_PROGRESS"
    assert begun["ImportArn"].startswith(f"{table['TableArn']}/import/")
    assert (begun["TableArn"], begun["TableId"]) == (table["TableArn"], table["TableId"])
    assert begun["ClientToken"] == "a-token-of-an-import"
    assert begun["S3BucketSource"] == {"S3Bucket": BUCKET, "S3KeyPrefix": prefix + "/"}
    assert (begun["InputFormat"], begun["InputCompressionType"]) == ("DYNAMODB_JSON", "NONE")
    given = begun["TableCreationParameters"]
    assert {key: given[key] for key in request} == request
    found = site.import_over(begun["ImportArn"])
    assert found["StartTime"] == begun["StartTime"] <= found["EndTime"]
    assert found["ImportedItemCount"] == 1
    after = until_active(site.boto, request["TableName"])
    assert after["ProvisionedThroughput"]["WriteCapacityUnits"] == 4


def test_the_table_is_not_in_use_before_it_is_whole(site, prefix):
    items = [simple(n) for n in range(4000)]
    site.store.put(BUCKET, f"{prefix}/x", json_lines(items))
    request = imported()
    begun = site.begin_import(request, prefix + "/")
    states = []

    def over():
        found = site.boto.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"]
        before = site.boto.describe_table(TableName=request["TableName"])["Table"]["TableStatus"]
        after = site.boto.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"]
        states.append((before, after["ImportStatus"]))
        if found["ImportStatus"] == after["ImportStatus"] == "IN_PROGRESS":
            put = {"TableName": request["TableName"], "Item": simple(1, pk="early")}
            answer = site.wire.post("PutItem", put)
            if answer.status != 200:
                assert answer.error[0] == "ResourceNotFoundException"
                return None
            ended = site.boto.describe_import(ImportArn=begun["ImportArn"])
            assert ended["ImportTableDescription"]["ImportStatus"] != "IN_PROGRESS"
        return found["ImportStatus"] != "IN_PROGRESS" and found

    found = until(over, "the import is over")
    assert found["ImportStatus"] == "COMPLETED", found
    assert ("CREATING", "IN_PROGRESS") in states, "it was never seen"
    assert until_active(site.boto, request["TableName"])["ItemCount"] >= len(items)


def test_a_table_that_is_there_already(site, prefix):
    table = site.table(simple(1), recovery=False)
    site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(2)]))
    request = {**imported(), "TableName": table.name}
    with pytest.raises(site.boto.exceptions.ResourceInUseException) as raised:
        site.begin_import(request, prefix + "/")
    assert table.name in raised.value.response["Error"]["Message"]
    assert site.contents(table.name) == by_key([simple(1)])


def test_the_same_token_is_the_same_import(folder_site, prefix):
    site = folder_site
    site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(2)]))
    request, token = imported(), str(uuid.uuid4())
    first = site.begin_import(request, prefix + "/", ClientToken=token)["ImportArn"]
    assert site.begin_import(request, prefix + "/", ClientToken=token)["ImportArn"] == first
    site.import_over(first)
    again = site.begin_import(request, prefix + "/", ClientToken=token)
    assert (again["ImportArn"], again["ImportStatus"]) == (first, "COMPLETED")
    for table, place, form in (
        (imported(), prefix + "/", "DYNAMODB_JSON"),
        (request, prefix, "DYNAMODB_JSON"),
        (request, prefix + "/", "ION"),
    ):
        with pytest.raises(site.boto.exceptions.ImportConflictException):
            site.begin_import(table, place, form, ClientToken=token)


def test_lists_of_imports(folder_site, prefix):
    site = folder_site
    site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(2)]))
    made = {}
    for _ in range(5):
        request = imported()
        begun = site.begin_import(request, prefix + "/")
        site.import_over(begun["ImportArn"])
        made[begun["TableArn"]] = begun["ImportArn"]
    for table, arn in made.items():
        (found,) = site.boto.list_imports(TableArn=table)["ImportSummaryList"]
        assert (found["ImportArn"], found["TableArn"]) == (arn, table)
        assert (found["ImportStatus"], found["InputFormat"]) == ("COMPLETED", "DYNAMODB_JSON")
        assert found["S3BucketSource"] == {"S3Bucket": BUCKET, "S3KeyPrefix": prefix + "/"}
        assert found["StartTime"] <= found["EndTime"]
    for size in (1, 2, 4):
        page = site.boto.list_imports(PageSize=size)
        assert len(page["ImportSummaryList"]) == size
        assert page["NextToken"]
    everything = site.boto.list_imports()["ImportSummaryList"]
    assert len({each["ImportArn"] for each in everything}) == len(everything)


def test_an_imported_table_is_a_table(site, prefix):
    site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(n) for n in range(50)]))
    request = imported()
    site.import_(request, prefix + "/")
    table = request["TableName"]
    site.put(table, [simple(100)])
    site.boto.delete_item(TableName=table, Key={"pk": {"S": "p"}, "sk": {"S": f"{0:06}"}})
    assert contents(site.boto, table) == by_key(simple(n) for n in [*range(1, 50), 100])
    site.boto.delete_table(TableName=table)
    assert site.import_(request, prefix + "/") == by_key(simple(n) for n in range(50))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\n  \n"])
def test_ends_of_lines(folder_site, end):
    site = folder_site
    folder = name("lines")
    lines = json_lines([simple(n) for n in range(3)]).decode().splitlines()
    site.store.put(BUCKET, f"{folder}/open", end.join(lines).encode())
    site.store.put(BUCKET, f"{folder}/closed", (json_lines([simple(3)]).decode() + end).encode())
    site.store.put(BUCKET, f"{folder}/nothing", b"")
    found = site.import_(imported(), folder + "/")
    assert found == by_key(simple(n) for n in range(4))


def test_a_whole_bucket_of_many_files(s3_site):
    """More than are listed at once."""
    site, files = s3_site, 1100
    site.store.make_bucket("many-files")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for put in [
            pool.submit(site.store.put, "many-files", f"{n % 3}/{n}", json_lines([simple(n)]))
            for n in range(files)
        ]:
            put.result()
    request = imported()
    found = site.import_any(request, "", S3BucketSource={"S3Bucket": "many-files"})
    assert (found["ImportStatus"], found["ImportedItemCount"]) == ("COMPLETED", files), found
    assert "S3KeyPrefix" not in found["S3BucketSource"]
    assert site.contents(request["TableName"]) == by_key(simple(n) for n in range(files))


def test_what_is_no_item_is_logged(fresh_server, folder, prefix):
    """With its file, its line and the reason; not without end, and never with what is in it."""
    server = fresh_server("--memory", *folder.arguments())
    site = Site(server, folder)
    secret = "a-value-of-somebody"
    wrong = b'{"Item":{"pk":{"S":"' + secret.encode() + b'"},"sk":{"N":"1"}}}\n'
    folder.put(BUCKET, f"{prefix}/many/bad.json", json_lines([simple(0)]) + b"{\n" * 1500)
    folder.put(BUCKET, f"{prefix}/one/wrong.json", json_lines([simple(0)]) + wrong)
    many, one = (site.import_any(imported(), f"{prefix}/{each}/") for each in ("many", "one"))
    for found, wanted in ((many, [1500, 1501, 1]), (one, [1, 2, 1])):
        counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
        assert (found["ImportStatus"], counts) == ("FAILED", wanted)
        assert found["CloudWatchLogGroupArn"].endswith(":log-group:/aws-dynamodb/imports:*")
    site.server.stop()
    logged = [line for line in server.ended()[2].splitlines() if "an item was not imported" in line]
    of_one = [line for line in logged if one["ImportArn"].rsplit("/", 1)[1] in line]
    of_many = [line for line in logged if many["ImportArn"].rsplit("/", 1)[1] in line]
    assert (len(of_one), len(of_many), len(logged)) == (1, 1000, 1001)
    assert "wrong.json, line 2" in of_one[0] and "sk" in of_one[0]
    assert secret not in of_one[0]
    assert "bad.json, line 2 " in of_many[0]
