import type { Message, Producer } from 'kafkajs';

import type { Clock } from '../../core/clock.js';
import { markerHeaders, redrivenHeaders, type DeadLetter } from '../records/deadLetter.js';
import { deadLetterTopic, fullTopicName } from '../topics/names.js';
import { sendToPartition } from '../producer/sharedRequests.js';

/**
 * Appends dead letters to their original topics, and then the markers that remove the dead letters from the list. If
 * the process dies before it appends the markers, the dead letters are still listed. Another redrive of a listed dead
 * letter appends duplicates with the same `ce_id`, which consumers recognize.
 */
export type Redrive = (letters: readonly DeadLetter[]) => Promise<void>;

export interface RedriveDependencies {
  readonly producer: Pick<Producer, 'sendBatch'>;
  readonly prefix: string;
  readonly clock: Clock;
}

type PlacedMessage = Message & { readonly partition: number };

export function createRedrive({ producer, prefix, clock }: RedriveDependencies): Redrive {
  const appendAll = async (topic: string, messages: readonly PlacedMessage[]) => {
    const touched = [...new Set(messages.map(({ partition }) => partition))];
    await Promise.all(
      touched.map((partition) => {
        const own = messages.filter((message) => message.partition === partition);
        return sendToPartition(producer, topic, partition, own);
      }),
    );
  };

  return async (letters) => {
    for (const name of new Set(letters.map(({ position }) => position.topic))) {
      const topic = fullTopicName(prefix, name);
      const own = letters.filter(({ position }) => position.topic === name);
      const again = own.map(messageOf);
      await appendAll(topic, again);
      const at = clock();
      const markers = own.map((letter) => markerOf(letter, topic, at));
      await appendAll(deadLetterTopic(topic), markers);
    }
  };
}

/** The message that appends a dead letter to its original topic and partition. */
function messageOf(letter: DeadLetter): PlacedMessage {
  const { key, value, position } = letter;
  return { key, value, headers: { ...redrivenHeaders(letter) }, partition: position.partition };
}

function markerOf(letter: DeadLetter, topic: string, at: Date): PlacedMessage {
  return { value: null, headers: markerHeaders(letter, topic, at), partition: 0 };
}
