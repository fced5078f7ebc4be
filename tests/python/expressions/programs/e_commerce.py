"""The single-item programs of our users' e-commerce table, as they wrote them for AWS."""

import random
from datetime import datetime, timedelta
from decimal import Decimal

import boto3


class AccessPatternOptimizer:
    """
    GSI2: Status queries (GSI2PK: STATUS#<status>, GSI2SK: ORDER#<timestamp>)
    """

    def __init__(self, table_name):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)

    def update_order_status(self, order_id, new_status, old_status):
        """Update order status with GSI update"""

        # Get order metadata first
        response = self.table.get_item(
            Key={
                'PK': f'ORDER#{order_id}',
                'SK': 'METADATA'
            }
        )

        if not response.get('Item'):
            raise ValueError('Order not found')

        order = response['Item']

        # Update with new GSI values
        self.table.update_item(
            Key={
                'PK': f'ORDER#{order_id}',
                'SK': 'METADATA'
            },
            UpdateExpression='SET #status = :new_status, GSI2PK = :gsi2pk, GSI2SK = :gsi2sk',
            ExpressionAttributeNames={
                '#status': 'Status'
            },
            ExpressionAttributeValues={
                ':new_status': new_status,
                ':gsi2pk': f'STATUS#{new_status}',
                ':gsi2sk': f'ORDER#{order["CreatedAt"]}'
            }
        )


class HierarchicalDataPattern:
    """
    PK: TENANT#<id>
    SK: PATH#/category/subcategory/item
    """

    def __init__(self, table_name):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)

    def create_item(self, tenant_id, path, metadata):
        """Create item in hierarchy"""
        self.table.put_item(
            Item={
                'PK': f'TENANT#{tenant_id}',
                'SK': f'PATH#{path}',
                'Type': 'HierarchicalItem',
                'Metadata': metadata,
                'Level': path.count('/'),
                'Parent': '/'.join(path.split('/')[:-1]) or '/'
            }
        )


class TimeSeriesPattern:
    """
    PK: METRIC#<name>#SHARD#<n>
    SK: TIMESTAMP#<iso_timestamp>
    """

    def __init__(self, table_name, shards=10):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)
        self.shards = shards

    def write_metric(self, metric_name, value, timestamp=None):
        """Write time series data point"""
        if timestamp is None:
            timestamp = datetime.now()

        # Distribute writes across shards
        shard = random.randint(0, self.shards - 1)

        self.table.put_item(
            Item={
                'PK': f'METRIC#{metric_name}#SHARD#{shard}',
                'SK': f'TIMESTAMP#{timestamp.isoformat()}',
                'Value': Decimal(str(value)),
                'TTL': int((timestamp + timedelta(days=30)).timestamp())  # 30 day retention
            }
        )


class Archive:
    """The last step of archiving: an expiry for an item that is safe elsewhere."""

    def __init__(self, table_name):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)

    def expire(self, item):
        # Set TTL for deletion
        self.table.update_item(
            Key={'PK': item['PK'], 'SK': item['SK']},
            UpdateExpression='SET #ttl = :ttl',
            ExpressionAttributeNames={'#ttl': 'TTL'},
            ExpressionAttributeValues={
                ':ttl': int((datetime.now() + timedelta(days=7)).timestamp())
            }
        )
