"""The batches and transactions of our users' e-commerce table, as they wrote them for AWS."""

import time
import uuid
from datetime import datetime

import boto3
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError


class SingleTableDesign:
    """
    Single table design pattern for e-commerce application
    PK and SK patterns:
    - USER#<id>           | PROFILE           -> User profile
    - USER#<id>           | ORDER#<timestamp> -> User orders
    - PRODUCT#<id>        | METADATA          -> Product info
    - PRODUCT#<id>        | REVIEW#<user_id>  -> Product reviews
    - ORDER#<id>          | METADATA          -> Order details
    - ORDER#<id>          | ITEM#<product_id> -> Order items
    """

    def __init__(self, table_name):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)

    def create_user(self, user_id, profile_data):
        """Create user with profile"""
        items = [
            {
                'PK': f'USER#{user_id}',
                'SK': 'PROFILE',
                'Type': 'UserProfile',
                'Email': profile_data['email'],
                'Name': profile_data['name'],
                'CreatedAt': datetime.now().isoformat(),
                'GSI1PK': f'EMAIL#{profile_data["email"]}',
                'GSI1SK': f'USER#{user_id}'
            }
        ]

        # Write in batch
        with self.table.batch_writer() as batch:
            for item in items:
                batch.put_item(Item=item)

    def create_order(self, order_id, user_id, items):
        """Create order with items"""
        timestamp = datetime.now().isoformat()

        # Order metadata
        order_items = [{
            'PK': f'ORDER#{order_id}',
            'SK': 'METADATA',
            'Type': 'Order',
            'UserId': user_id,
            'Status': 'PENDING',
            'Total': sum(item['price'] * item['quantity'] for item in items),
            'CreatedAt': timestamp,
            'GSI1PK': f'USER#{user_id}',
            'GSI1SK': f'ORDER#{timestamp}'
        }]

        # Order items
        for item in items:
            order_items.append({
                'PK': f'ORDER#{order_id}',
                'SK': f'ITEM#{item["product_id"]}',
                'Type': 'OrderItem',
                'ProductId': item['product_id'],
                'ProductName': item['name'],
                'Price': item['price'],
                'Quantity': item['quantity']
            })

        # Add to user's order list
        order_items.append({
            'PK': f'USER#{user_id}',
            'SK': f'ORDER#{timestamp}',
            'Type': 'UserOrder',
            'OrderId': order_id,
            'Total': sum(item['price'] * item['quantity'] for item in items),
            'Status': 'PENDING'
        })

        # Write all items
        with self.table.batch_writer() as batch:
            for item in order_items:
                batch.put_item(Item=item)

    def get_user_orders(self, user_id, limit=10):
        """Get user's recent orders"""
        response = self.table.query(
            KeyConditionExpression=Key('PK').eq(f'USER#{user_id}') &
                                  Key('SK').begins_with('ORDER#'),
            ScanIndexForward=False,  # Most recent first
            Limit=limit
        )
        return response['Items']

    def get_order_with_items(self, order_id):
        """Get order with all items"""
        response = self.table.query(
            KeyConditionExpression=Key('PK').eq(f'ORDER#{order_id}')
        )

        # Separate metadata and items
        metadata = None
        items = []

        for item in response['Items']:
            if item['SK'] == 'METADATA':
                metadata = item
            elif item['SK'].startswith('ITEM#'):
                items.append(item)

        return {'metadata': metadata, 'items': items}


class HierarchicalDataPattern:
    """
    Pattern for storing hierarchical data (e.g., categories, folders)
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

    def get_children(self, tenant_id, parent_path):
        """Get direct children of a path"""
        # Query for items that start with parent path
        response = self.table.query(
            KeyConditionExpression=(
                Key('PK').eq(f'TENANT#{tenant_id}') &
                Key('SK').begins_with(f'PATH#{parent_path}/')
            )
        )

        # Filter for direct children only
        parent_level = parent_path.count('/')
        children = [
            item for item in response['Items']
            if item['Level'] == parent_level + 1
        ]

        return children

    def get_ancestors(self, tenant_id, item_path):
        """Get all ancestors of an item"""
        ancestors = []
        parts = item_path.split('/')

        # Build ancestor paths
        for i in range(1, len(parts)):
            ancestor_path = '/'.join(parts[:i])
            ancestors.append({
                'PK': f'TENANT#{tenant_id}',
                'SK': f'PATH#{ancestor_path}'
            })

        # Batch get ancestors
        if ancestors:
            response = self.dynamodb.batch_get_item(
                RequestItems={
                    self.table.name: {
                        'Keys': ancestors
                    }
                }
            )
            return response['Responses'][self.table.name]

        return []


class TransactionManager:
    def __init__(self, table_name):
        self.dynamodb = boto3.client('dynamodb')
        self.table_name = table_name

    def transfer_funds(self, from_account, to_account, amount):
        """Atomic fund transfer between accounts"""

        try:
            response = self.dynamodb.transact_write_items(
                TransactItems=[
                    {
                        # Debit from account
                        'Update': {
                            'TableName': self.table_name,
                            'Key': {
                                'PK': {'S': f'ACCOUNT#{from_account}'},
                                'SK': {'S': 'BALANCE'}
                            },
                            'UpdateExpression': 'SET Balance = Balance - :amount',
                            'ConditionExpression': 'Balance >= :amount',
                            'ExpressionAttributeValues': {
                                ':amount': {'N': str(amount)}
                            }
                        }
                    },
                    {
                        # Credit to account
                        'Update': {
                            'TableName': self.table_name,
                            'Key': {
                                'PK': {'S': f'ACCOUNT#{to_account}'},
                                'SK': {'S': 'BALANCE'}
                            },
                            'UpdateExpression': 'SET Balance = Balance + :amount',
                            'ExpressionAttributeValues': {
                                ':amount': {'N': str(amount)}
                            }
                        }
                    },
                    {
                        # Create transaction record
                        'Put': {
                            'TableName': self.table_name,
                            'Item': {
                                'PK': {'S': f'TRANSACTION#{uuid.uuid4()}'},
                                'SK': {'S': f'TIMESTAMP#{datetime.now().isoformat()}'},
                                'FromAccount': {'S': from_account},
                                'ToAccount': {'S': to_account},
                                'Amount': {'N': str(amount)},
                                'Status': {'S': 'COMPLETED'}
                            }
                        }
                    }
                ]
            )

            return {'success': True, 'transaction_id': response['ResponseMetadata']['RequestId']}

        except ClientError as e:
            if e.response['Error']['Code'] == 'TransactionCanceledException':
                return {'success': False, 'error': 'Insufficient funds or account not found'}
            raise


class BatchOperationManager:
    def __init__(self, table_name):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)

    def batch_write_with_retry(self, items, max_retries=3):
        """Batch write with automatic retry for unprocessed items"""

        unprocessed_items = []

        # Process in batches of 25 (DynamoDB limit)
        for i in range(0, len(items), 25):
            batch = items[i:i+25]
            retry_count = 0

            while retry_count < max_retries:
                try:
                    with self.table.batch_writer() as writer:
                        for item in batch:
                            writer.put_item(Item=item)
                    break

                except ClientError as e:
                    if e.response['Error']['Code'] == 'ProvisionedThroughputExceededException':
                        # Exponential backoff
                        time.sleep(2 ** retry_count)
                        retry_count += 1
                    else:
                        raise

            if retry_count == max_retries:
                unprocessed_items.extend(batch)

        return {
            'processed': len(items) - len(unprocessed_items),
            'unprocessed': unprocessed_items
        }
