import { InvalidArgumentError, type Command } from 'commander';

import { isEventType } from '../../shared/domain/events/event.js';
import { clientOf } from '../developer/api/clientOf.js';
import { readEvent } from '../developer/api/events.js';
import { addConnectionOptions, type ConnectionOptions } from '../developer/settings/connection.js';
import {
  dataOf,
  eventText,
  exampleData,
  readSetValue,
  type SetValue,
} from '../developer/trigger/eventData.js';
import { readCount } from '../terminal/arguments.js';
import { inputText } from '../terminal/inputText.js';
import { print } from '../terminal/output.js';

interface TriggerOptions extends ConnectionOptions {
  readonly data?: string;
  readonly set?: readonly SetValue[];
  readonly tenant?: string;
  readonly count: number;
  readonly json?: boolean;
}

const help = `
Without --data, the event has the first example of its type, or else made-up data. Numbers keep all their digits.

Examples:
  postrider trigger order.completed
  postrider trigger order.completed --set data.amount=4200 --set data.note=hello
  postrider trigger order.completed --data @order.json --count 10`;

export function addTriggerCommand(program: Command): void {
  const trigger = program
    .command('trigger')
    .argument('<type>', 'the type of the event, such as order.completed', readType)
    .option('--data <json>', 'the data: a JSON object, @FILE, or @- for standard input')
    .option(
      '--set <path=value>',
      'set a part of the data, such as data.amount=4200 (repeatable)',
      addSetValue,
    )
    .option('--tenant <id>', 'the tenant of the event')
    .option('--count <number>', 'the number of events', readCount, 1)
    .option('--json', 'print each event as a line of JSON');
  addConnectionOptions(trigger)
    .addHelpText('after', help)
    .action(async (type: string, options: TriggerOptions) => {
      await postEvents(type, options);
    });
}

async function postEvents(type: string, options: TriggerOptions): Promise<void> {
  const { data: given, set = [], tenant = null, count, json } = options;
  const client = clientOf(options);
  const text = given === undefined ? await exampleData(client, type) : await inputText(given, '--data');
  const body = eventText(type, tenant, dataOf(text, set));
  for (let posted = 0; posted < count; posted += 1) {
    const answer = await client.send({ method: 'POST', path: '/v1/events', body });
    print(json === true ? answer.toString().replaceAll(/[\r\n]+/g, ' ') : `${readEvent(answer).id}  ${type}`);
  }
}

function readType(text: string): string {
  if (!isEventType(text)) {
    throw new InvalidArgumentError(
      'Pass words of letters, digits and _ joined by dots, such as order.completed.',
    );
  }
  return text;
}

function addSetValue(text: string, before: readonly SetValue[] = []): readonly SetValue[] {
  const value = readSetValue(text);
  if (value === null) {
    throw new InvalidArgumentError('Pass a path in data and a value, such as data.amount=4200.');
  }
  return [...before, value];
}
