import type { WebhookDocument } from '../../shared/store/models/documents.js';
import { decodeTakenUp } from '../../shared/log/client/takenUp.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { DeliveryFact, EventMatched } from '../../shared/domain/deliveries/deliveryFacts.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { CommittedPosition } from '../../shared/log/group/groupConsumer.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeRetry } from '../../shared/log/records/retry.js';
import { acknowledgementDelay } from '../../shared/commands/maximumStaleness.js';
import type { SimulatedGroup } from './simulatedGroup.js';

/** What the promises are checked against, as the brokers know it. */
export interface PromisesContext {
  readonly now: () => number;
  /** How many steps were taken so far. */
  readonly moment: () => number;
  readonly isDead: (owner: string) => boolean;
  readonly groups: () => Readonly<Record<'events' | 'requests' | 'retries', SimulatedGroup>>;
}

/** A request of a process to a receiver. */
export interface Exchange {
  readonly owner: string;
  readonly eventId: string;
  readonly webhookId: string;
}

/** Watches a schedule, and notes the first promise that is broken. */
export interface Promises {
  readonly appended: (record: RawRecord, owner: string | null) => void;
  readonly acknowledged: (recordId: string) => void;
  /** An append of this process has failed, or a module of it: what it has attempted for these may have no outcome. */
  readonly failed: (owner: string, eventId?: string) => void;
  readonly committed: (group: string, position: CommittedPosition, before: number) => void;
  readonly webhookFolded: (webhook: WebhookDocument) => void;
  readonly began: (exchange: Exchange) => void;
  readonly ended: (exchange: Exchange) => void;
  readonly assigned: (group: string, owner: string, partitions: readonly number[]) => void;
  readonly isBroken: (promise: string) => void;
  readonly broken: () => string | null;
  /** The deliveries that still need an outcome. */
  readonly unfinished: () => readonly string[];
  /** The steps of the run, one line each, to find the cause of a broken promise. */
  readonly history: () => readonly string[];
}

interface Attempt {
  readonly owner: string;
  /** How often the partition had moved when it began. */
  readonly moves: number;
  readonly wasOwned: boolean;
  /** The number that it must be above: it has begun as the attempt after that one. Null if it may repeat another attempt. */
  readonly above: number | null;
  /** The attempt that it repeats after a fault. Null if it repeats none. */
  readonly repeats: Attempt | null;
  number: number | null;
  recordId: string | null;
  /** When its outcome was acknowledged to a process that had the partition all the time. */
  recordedAt: number | null;
  hasEnded: boolean;
  /** Whether the process may not know that the log has the outcome. */
  hasFailed: boolean;
}

/** An event and a webhook, and all that the log has of them. */
interface DeliveryJob {
  readonly name: string;
  readonly eventId: string;
  readonly webhook: WatchedWebhook;
  readonly partition: number;
  readonly offset: number;
  /** How often the webhook had ended when the event was appended; null if it did not have to get the event. */
  readonly requiredWithEndings: number | null;
  /** How often the webhook had ended when the event was appended. */
  readonly endings: number;
  isOpened: boolean;
  /** Whether a record names the webhook of the event, and the webhook had not ended before. */
  isNamed: boolean;
  /** Whether a record names the webhook of the event, even if the webhook had ended before. */
  isMentioned: boolean;
  /** Whether the committed taken-up offset shows that the event has no delivery to the webhook. */
  isExcluded: boolean;
  isFinal: boolean;
  lastNumber: number;
  /** The offset of the record of the attempt with that number. */
  lastOutcome: number;
  /** The highest number that a record parks; 0 if no record parks an attempt. */
  parkedNumber: number;
  /** Whether a process has parked it after the loss of its partition: the next owner may attempt it meanwhile. */
  isParkedLate: boolean;
  readonly retryRecords: (Pick<RawRecord, 'topic' | 'offset'> & { readonly number: number })[];
  readonly attempts: Attempt[];
}

interface WatchedWebhook {
  readonly name: string;
  /** Whether the log has it as active. */
  isActive: boolean;
  /** Whether it was deleted: no later change has an effect. */
  isDeleted: boolean;
  /** From when on every event is for it: a client has then been answered that it is active. Null if it is not active. */
  activeSince: number | null;
  /** How often it was disabled or deleted. */
  endings: number;
  /** From when on no attempt may begin: its end was answered. */
  endedAt: number | null;
}

export function createPromises(webhookIds: readonly string[], context: PromisesContext): Promises {
  const pairs = new Map<string, DeliveryJob>();
  const webhooks = new Map(webhookIds.map((id, index) => [id, watched(`webhook ${index + 1}`)]));
  const seenRecords = new Set<string>();
  const history: string[] = [];
  const takenUpBelow = new Map<number, number>();
  let events = 0;
  let broken: string | null = null;

  const note = (text: string) => {
    history.push(`${String(context.now()).padStart(6)} ms  ${text}`);
  };

  const isBroken = (promise: string) => {
    broken ??= promise;
  };

  const isRequired = ({ requiredWithEndings, webhook }: DeliveryJob) =>
    requiredWithEndings === webhook.endings;

  const isNamedNow = ({ isNamed, endings, webhook }: DeliveryJob) => isNamed && endings === webhook.endings;

  const isInLog = ({ isOpened, isMentioned }: DeliveryJob) => isOpened || isMentioned;

  const needsOutcome = (pair: DeliveryJob) =>
    !pair.isFinal && (pair.isOpened || isRequired(pair) || isNamedNow(pair));

  /** Whether a process that knows the log and the committed offsets alone comes to the next step of the pair. */
  const isReachable = (pair: DeliveryJob): boolean => {
    const { events: ofEvents, requests, retries } = context.groups();
    const { partition, offset, lastNumber, lastOutcome, parkedNumber } = pair;
    return (
      ofEvents.committed({ topic: 'events', partition }) <= offset ||
      parkedNumber > lastNumber ||
      requests.committed({ topic: 'deliveries', partition }) <= lastOutcome ||
      pair.retryRecords.some(
        ({ topic, offset: place, number }) =>
          number >= lastNumber && retries.committed({ topic, partition }) <= place,
      )
    );
  };

  const movesOf = (partition: number) => {
    return Object.values(context.groups()).reduce((sum, group) => sum + group.moves(partition), 0);
  };

  /** The groups whose records can lead to an attempt of the pair. A parked attempt is released by the owner in `requests`. */
  const groupsOf = ({ parkedNumber, retryRecords }: DeliveryJob): readonly SimulatedGroup[] => {
    const { events: ofEvents, requests, retries } = context.groups();
    return [ofEvents, ...(parkedNumber > 0 ? [requests] : []), ...(retryRecords.length > 0 ? [retries] : [])];
  };

  /**
   * Whether a process owns the partition of the pair. A paused process that one of the groups has removed does not, until it notices that:
   * it may repeat the work of the new owner in this group, even if it owns the partition in another group.
   */
  const isOwned = (pair: DeliveryJob, owner: string) =>
    Object.values(context.groups()).some((group) => group.ownerOf(pair.partition) === owner) &&
    !groupsOf(pair).some((group) => group.isUnaware(owner, pair.partition));

  /** Whether a process may have taken the pair in before this moment. */
  const hadBefore = (partition: number, owner: string, moment: number) =>
    Object.values(context.groups()).some((group) => (group.hasSince(owner, partition) ?? Infinity) < moment);

  const mayRepeat = (pair: DeliveryJob, before: Attempt, owner: string): boolean => {
    const { partition, isParkedLate } = pair;
    if (before.recordedAt !== null) {
      return owner !== before.owner && hadBefore(partition, owner, before.recordedAt);
    }
    const isLost = !before.wasOwned || before.moves !== movesOf(partition) || !isOwned(pair, owner);
    return before.hasFailed || context.isDead(before.owner) || isLost || isParkedLate;
  };

  const isFollowed = (pair: DeliveryJob, { number }: Attempt): boolean =>
    number !== null && !pair.isFinal && pair.retryRecords.some((record) => record.number === number + 1);

  /** The attempt or the one that it repeats, whichever has a retry record. The first owner may record its own attempt during the repetition. */
  const followedOf = (pair: DeliveryJob, attempt: Attempt): Attempt | null =>
    isFollowed(pair, attempt) ? attempt : attempt.repeats && followedOf(pair, attempt.repeats);

  /** Why an attempt begins: it repeats the last one after a fault, or follows an earlier one. */
  const causeOf = (pair: DeliveryJob, before: Attempt | undefined, owner: string) => {
    if (before === undefined) {
      return { isAllowed: true, repeats: null, followed: null };
    }
    if (mayRepeat(pair, before, owner)) {
      return { isAllowed: true, repeats: before, followed: null };
    }
    const followed = followedOf(pair, before);
    return { isAllowed: followed !== null, repeats: null, followed };
  };

  const appendedEvent = ({ key, partition, offset }: RawRecord) => {
    events += 1;
    const eventId = String(key);
    for (const [id, webhook] of webhooks) {
      const mustGet = webhook.isActive && context.now() >= (webhook.activeSince ?? Infinity);
      pairs.set(`${eventId}/${id}`, {
        ...{ eventId, name: `event ${events}, ${webhook.name}`, webhook, partition, offset },
        ...{ requiredWithEndings: mustGet ? webhook.endings : null, isOpened: false, isFinal: false },
        ...{ endings: webhook.endings, isNamed: false, isMentioned: false, isExcluded: false },
        ...{
          lastNumber: 0,
          lastOutcome: -1,
          parkedNumber: 0,
          isParkedLate: false,
          retryRecords: [],
          attempts: [],
        },
      });
    }
  };

  const noteOutcome = (pair: DeliveryJob, number: number, recordId: string, owner: string | null) => {
    const attempt = pair.attempts.findLast(
      (one) => one.owner === owner && one.hasEnded && one.number === null,
    );
    if (attempt !== undefined) {
      attempt.number = number;
      attempt.recordId = recordId;
    }
    if (attempt?.above !== undefined && attempt.above !== null && number <= attempt.above) {
      isBroken(`attempt ${number} of ${pair.name} was repeated although its outcome was acknowledged`);
    }
    pair.lastNumber = Math.max(pair.lastNumber, number);
  };

  const parked = (pair: DeliveryJob, number: number, owner: string | null, group: 'events' | 'retries') => {
    pair.parkedNumber = Math.max(pair.parkedNumber, number);
    pair.isParkedLate ||= context.groups()[group].ownerOf(pair.partition) !== owner;
  };

  const appendedMatched = (
    { value, context: { key } }: EventMatched & { readonly context: RecordContext },
    owner: string | null,
  ) => {
    for (const { webhookId, waits } of value.webhooks) {
      const pair = pairs.get(`${key}/${webhookId}`);
      if (pair === undefined) {
        isBroken('a record of matched webhooks belongs to no event');
      } else {
        pair.isMentioned = true;
        pair.isNamed ||= pair.webhook.isActive && pair.endings === pair.webhook.endings;
        if (waits !== null) {
          parked(pair, 1, owner, 'events');
        }
      }
    }
  };

  /** The taken-up offset shows the set of deliveries of every event below it. */
  const takenUp = (partition: number, offset: number) => {
    if (offset < (takenUpBelow.get(partition) ?? 0)) {
      isBroken(`the taken-up offset of partition ${partition} is lowered to ${offset}`);
    }
    takenUpBelow.set(partition, offset);
    for (const pair of pairs.values()) {
      const isBelow = pair.partition === partition && pair.offset < offset;
      if (isBelow && !isInLog(pair)) {
        pair.isExcluded = true;
        if (isRequired(pair)) {
          isBroken(
            `the taken-up offset of partition ${partition} is ${offset}, and the log lacks ${pair.name}`,
          );
        }
      }
    }
  };

  const appendedFact = (
    pair: DeliveryJob,
    { type, value }: DeliveryFact,
    record: RawRecord,
    owner: string | null,
  ) => {
    switch (type) {
      case 'postrider.delivery.attempted':
        noteOutcome(pair, value.number, recordIdOf(record), owner);
        pair.lastOutcome = value.number === pair.lastNumber ? record.offset : pair.lastOutcome;
        pair.isFinal ||= value.final || value.outcome === 'succeeded';
        break;
      case 'postrider.delivery.canceled':
        pair.isFinal = true;
        break;
      case 'postrider.delivery.requested':
        break;
      default:
        parked(pair, value.number ?? 0, owner, type === 'postrider.delivery.deferred' ? 'events' : 'retries');
        break;
    }
  };

  const appendedDelivery = (record: RawRecord, owner: string | null) => {
    const decoded = deliveryRecords.decode(record);
    if (!decoded.readable) {
      isBroken('a record of the topic belongs to no delivery');
      return;
    }
    if (decoded.content.type === 'postrider.delivery.matched') {
      appendedMatched(decoded.content, owner);
      return;
    }
    const pair = pairs.get(`${decoded.content.context.key}/${decoded.content.value.webhookId}`);
    if (pair === undefined) {
      isBroken('a record of a delivery belongs to no event');
      return;
    }
    pair.isOpened = true;
    appendedFact(pair, decoded.content, record, owner);
  };

  const appendedRetry = (record: RawRecord) => {
    const decoded = decodeRetry(record);
    const pair = decoded.readable
      ? pairs.get(`${decoded.content.eventId}/${decoded.content.webhookId}`)
      : undefined;
    if (decoded.readable && pair !== undefined) {
      const { topic, offset } = record;
      pair.retryRecords.push({ topic, offset, number: decoded.content.number });
    }
  };

  const appendedWebhook = (record: RawRecord) => {
    const webhook = webhooks.get(String(record.key));
    const type = String(record.headers['ce_type']);
    if (webhook === undefined || webhook.isDeleted) {
      return;
    }
    webhook.isDeleted = type === 'postrider.webhook.deleted';
    if (type === 'postrider.webhook.created' || type === 'postrider.webhook.enabled') {
      webhook.isActive = true;
      webhook.endedAt = null;
    } else {
      webhook.isActive = false;
      webhook.endings += 1;
    }
  };

  const append = (record: RawRecord, owner: string | null) => {
    switch (record.topic) {
      case 'events':
        appendedEvent(record);
        break;
      case 'deliveries':
        appendedDelivery(record, owner);
        break;
      case 'webhooks':
        appendedWebhook(record);
        break;
      case 'accounts':
        break;
      default:
        appendedRetry(record);
        break;
    }
  };

  const attempts = () =>
    [...pairs.values()].flatMap((pair) => pair.attempts.map((attempt) => ({ pair, attempt })));

  return {
    appended: (record, owner) => {
      const name = `${record.topic}/${recordIdOf(record)}`;
      note(`${owner ?? 'a client'} has appended ${textOf(record)}`);
      if (!seenRecords.has(name)) {
        seenRecords.add(name);
        append(record, owner);
      }
    },
    acknowledged: (recordId) => {
      const found = attempts().find(({ attempt }) => attempt.recordId === recordId);
      if (found !== undefined) {
        const { pair, attempt } = found;
        const isClean = attempt.wasOwned && !attempt.hasFailed && attempt.moves === movesOf(pair.partition);
        attempt.recordedAt ??= isClean ? context.moment() : null;
        note(`${attempt.owner} knows that the outcome of ${pair.name} is acknowledged`);
      }
    },
    failed: (owner, eventId) => {
      note(`${owner}: an append or a module fails`);
      const ended = attempts().filter(({ attempt }) => attempt.owner === owner && attempt.hasEnded);
      for (const { pair, attempt } of ended) {
        const isMeant = eventId === undefined ? !isFollowed(pair, attempt) : pair.eventId === eventId;
        if (isMeant && (attempt.recordedAt === null || !pair.isFinal)) {
          attempt.hasFailed = true;
          attempt.recordedAt = null;
        }
      }
    },
    assigned: (group, owner, partitions) =>
      note(`${owner} has partitions [${partitions.join()}] of ${group}`),
    committed: (group, { topic, partition, offset, metadata }, before) => {
      note(`the group ${group} has committed ${offset} of ${topic}/${partition}`);
      if (offset < before) {
        isBroken(`the group ${group} commits ${offset} of ${topic}/${partition}, below ${before}`);
      }
      if (topic === 'events') {
        takenUp(partition, Math.max(offset, decodeTakenUp(metadata ?? null)?.offset ?? 0));
      }
      const lost = [...pairs.values()].find(
        (pair) => pair.partition === partition && needsOutcome(pair) && !isReachable(pair),
      );
      if (lost !== undefined) {
        isBroken(
          `the group ${group} commits ${offset} of ${topic}/${partition}, above ${lost.name}, which has neither an outcome nor a retry record`,
        );
      }
    },
    webhookFolded: (document) => {
      const webhook = webhooks.get(document._id);
      if (webhook !== undefined) {
        const isActive = document.status === 'active';
        webhook.activeSince = isActive
          ? (webhook.activeSince ?? context.now() + acknowledgementDelay.matching)
          : null;
        const isEnd = !isActive && !webhook.isActive;
        webhook.endedAt = isEnd ? (webhook.endedAt ?? context.now() + acknowledgementDelay.attempting) : null;
      }
    },
    began: ({ owner, eventId, webhookId }) => {
      const pair = pairs.get(`${eventId}/${webhookId}`);
      if (pair === undefined) {
        isBroken('an attempt belongs to no event');
        return;
      }
      const { partition, webhook, name, attempts: made } = pair;
      note(`${owner} attempts ${name}`);
      if (webhook.endedAt !== null && context.now() >= webhook.endedAt) {
        isBroken(`an attempt of ${name} begins after the end of the webhook was answered`);
      }
      if (pair.isExcluded) {
        isBroken(`${name} is attempted although the deliveries of the event were known without it`);
      }
      const before = made.at(-1);
      const { isAllowed, repeats, followed } = causeOf(pair, before, owner);
      if (!isAllowed) {
        isBroken(`${name} is attempted again without a fault between the two attempts`);
      }
      const wasOwned = isOwned(pair, owner);
      const none = { number: null, recordId: null, recordedAt: null, hasEnded: false, hasFailed: false };
      const above = followed?.number ?? null;
      made.push({ owner, moves: movesOf(partition), wasOwned, above, repeats, ...none });
    },
    ended: ({ owner, eventId, webhookId }) => {
      const attempt = pairs
        .get(`${eventId}/${webhookId}`)
        ?.attempts.find((one) => one.owner === owner && !one.hasEnded);
      if (attempt !== undefined) {
        attempt.hasEnded = true;
      }
    },
    isBroken,
    broken: () => broken,
    unfinished: () => [...pairs.values()].filter(needsOutcome).map(({ name }) => name),
    history: () => history,
  };
}

function watched(name: string): WatchedWebhook {
  return { name, isActive: false, isDeleted: false, activeSince: null, endings: 0, endedAt: null };
}

function textOf({ topic, partition, offset, headers, value }: RawRecord): string {
  const number = /"number":(\d+)/.exec(String(value))?.[1];
  const webhook = /"webhookId":"[^"]*(\d)"/.exec(String(value))?.[1];
  const about = [
    webhook === undefined ? '' : ` of webhook ${webhook}`,
    number === undefined ? '' : `, number ${number}`,
    String(value).includes('"waits":"busy"') ? ', which parks' : '',
  ];
  return `${String(headers['ce_type'])}${about.join('')} at ${topic}/${partition}/${offset}`;
}
