"""The stream handler of our users' e-commerce table, as they wrote it for AWS Lambda.

What it calls and does not define is at the end, and remembers its calls.
"""

import boto3
import boto3.dynamodb.types


def lambda_handler(event, context):
    """Process DynamoDB stream events"""

    for record in event['Records']:
        event_name = record['eventName']

        if event_name == 'INSERT':
            handle_insert(record['dynamodb']['NewImage'])
        elif event_name == 'MODIFY':
            handle_update(
                record['dynamodb']['OldImage'],
                record['dynamodb']['NewImage']
            )
        elif event_name == 'REMOVE':
            handle_delete(record['dynamodb']['OldImage'])

def handle_insert(new_image):
    """Handle new item insertion"""

    # Deserialize DynamoDB format
    item = deserialize_dynamodb_item(new_image)

    # Check if it's an order
    if item.get('Type') == 'Order':
        # Send order confirmation email
        send_order_confirmation(item)

        # Update inventory
        update_inventory(item)

        # Trigger fulfillment workflow
        start_fulfillment(item)

def handle_update(old_image, new_image):
    """Handle item updates"""

    old_item = deserialize_dynamodb_item(old_image)
    new_item = deserialize_dynamodb_item(new_image)

    # Check for status changes
    if old_item.get('Status') != new_item.get('Status'):
        notify_status_change(new_item)

def deserialize_dynamodb_item(dynamodb_item):
    """Convert DynamoDB format to Python dict"""
    deserializer = boto3.dynamodb.types.TypeDeserializer()
    return {k: deserializer.deserialize(v) for k, v in dynamodb_item.items()}


calls = []


def send_order_confirmation(item):
    calls.append(('confirmation', item))


def update_inventory(item):
    calls.append(('inventory', item))


def start_fulfillment(item):
    calls.append(('fulfillment', item))


def notify_status_change(item):
    calls.append(('status', item))


def handle_delete(old_image):
    calls.append(('delete', deserialize_dynamodb_item(old_image)))
