"""How our users archive old items before they expire, as they wrote it for AWS."""

import json
from datetime import datetime, timedelta

import boto3
from boto3.dynamodb.conditions import Attr


class TTLArchivalManager:
    def __init__(self, table_name, archive_bucket):
        self.dynamodb = boto3.resource('dynamodb')
        self.table = self.dynamodb.Table(table_name)
        self.s3 = boto3.client('s3')
        self.archive_bucket = archive_bucket

    def set_ttl(self, item, days_to_live):
        """Set TTL on item"""
        ttl_timestamp = int((datetime.now() + timedelta(days=days_to_live)).timestamp())
        item['TTL'] = ttl_timestamp
        return item

    def archive_old_data(self, days_old=90):
        """Archive old data to S3 before TTL deletion"""

        cutoff_date = datetime.now() - timedelta(days=days_old)

        # Scan for old items (use with caution on large tables)
        response = self.table.scan(
            FilterExpression=Attr('CreatedAt').lt(cutoff_date.isoformat())
        )

        # Archive to S3
        for item in response['Items']:
            # Convert Decimal to float for JSON serialization
            item_json = json.dumps(item, default=str)

            # Store in S3 with hierarchical key
            key = f"archive/{item['Type']}/{item['PK']}/{item['SK']}.json"

            self.s3.put_object(
                Bucket=self.archive_bucket,
                Key=key,
                Body=item_json,
                StorageClass='GLACIER'
            )

            # Set TTL for deletion
            self.table.update_item(
                Key={'PK': item['PK'], 'SK': item['SK']},
                UpdateExpression='SET #ttl = :ttl',
                ExpressionAttributeNames={'#ttl': 'TTL'},
                ExpressionAttributeValues={
                    ':ttl': int((datetime.now() + timedelta(days=7)).timestamp())
                }
            )
