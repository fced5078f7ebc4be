"""The tables our users define in Terraform, in Serverless YAML and through boto3, in API terms.

Each is what the tool sends: CreateTable, then the settings that have calls of their own.
"""

from definitions import index, on_demand, projection

_GSI1 = index("GSI1", "GSI1PK", "GSI1SK")

# Terraform's `aws_dynamodb_table.main`.
TERRAFORM = {
    "create": on_demand(
        "app-dev",
        "PK",
        "SK",
        "GSI1PK:S",
        "GSI1SK:S",
        "GSI2PK:S",
        "GSI2SK:S",
        GlobalSecondaryIndexes=[
            _GSI1,
            index(
                "GSI2",
                "GSI2PK",
                "GSI2SK",
                projection("INCLUDE", "type", "title", "status", "createdAt"),
            ),
        ],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    ),
    "time_to_live": "expiresAt",
    "recovery": True,
}

# Serverless YAML: a table by itself, and the same with one index.
SERVERLESS_PLAIN = {"create": on_demand("MyAwesomeTable", "PK", "SK")}
SERVERLESS_INDEXED = {
    "create": on_demand(
        "MyAwesomeTable", "PK", "SK", "GSI1PK:S", "GSI1SK:S", GlobalSecondaryIndexes=[_GSI1]
    )
}

# CloudFormation's `MainTable` of the multi-tenant project.
CLOUDFORMATION = {
    "create": on_demand(
        "main-table",
        "PK",
        "SK",
        "GSI1PK:S",
        "GSI1SK:S",
        "GSI2PK:S",
        "GSI2SK:S",
        GlobalSecondaryIndexes=[_GSI1, index("GSI2", "GSI2PK", "GSI2SK")],
        DeletionProtectionEnabled=True,
    ),
    "recovery": True,
}

# The tables that the boto3 and JavaScript programs use.
BOTO3 = {
    "create": on_demand(
        "ecommerce",
        "PK",
        "SK",
        *(f"GSI{n}{part}:S" for n in (1, 2, 3) for part in ("PK", "SK")),
        GlobalSecondaryIndexes=[index(f"GSI{n}", f"GSI{n}PK", f"GSI{n}SK") for n in (1, 2, 3)],
    ),
    "time_to_live": "TTL",
}
ORDERS = {
    "create": on_demand(
        "Orders",
        "pk",
        "sk",
        "gsi1pk:S",
        "gsi1sk:S",
        GlobalSecondaryIndexes=[index("GSI1", "gsi1pk", "gsi1sk")],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
}
SESSIONS = {"create": on_demand("Sessions", "pk", "sk"), "time_to_live": "ttl"}
ACCOUNTS = {"create": on_demand("Accounts", "pk", "sk")}
STORE = {
    "create": on_demand(
        "CheatCodersStore", "PK", "SK", "GSI1PK:S", "GSI1SK:S", GlobalSecondaryIndexes=[_GSI1]
    )
}

ALL = [
    TERRAFORM,
    SERVERLESS_PLAIN,
    SERVERLESS_INDEXED,
    CLOUDFORMATION,
    BOTO3,
    ORDERS,
    SESSIONS,
    ACCOUNTS,
    STORE,
]
