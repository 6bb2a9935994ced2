import type { Clock } from '../../shared/clock.js';
import type { Config } from '../../shared/config.js';
import { openConnections, type Connections } from '../../shared/connections.js';
import { createIdentifiers } from '../../shared/domain/identifiers.js';
import { startHealthServer } from '../../shared/healthServer.js';
import { createDeadLetters } from '../../shared/kafka/deadLetters.js';
import { createGroupConsumer } from '../../shared/kafka/groupConsumer.js';
import { createLaneProducer } from '../../shared/kafka/laneProducer.js';
import { createWindowedConsumer, type WindowedConsumer } from '../../shared/kafka/windowedConsumer.js';
import { createReleasers, type Releasers } from '../../shared/lifecycle.js';
import type { Logger } from '../../shared/logger.js';
import { createMetrics, type Metrics } from '../../shared/metrics.js';
import { createRandom } from '../../shared/random.js';
import { createLossReport, type RunningRole } from '../../shared/role.js';
import { createSecretBox } from '../../shared/secretBox.js';
import { createHttpAttempt, type AttemptSettings } from '../attempt/attempt.js';
import { createDeliverEvent } from './deliverEvent.js';
import { createDeliverPair } from './deliverPair.js';
import { createEarlierDeliveries } from './earlierDeliveries.js';
import { createRecentEvents } from './recentEvents.js';
import { createWebhookReader } from './webhookReader.js';
import { createWebhookSlots } from './webhookSlots.js';

/** A partition's share of what this process has under way. */
const window = { maximumRecords: 1000, maximumBytes: 4 * 1024 * 1024, commitIntervalMs: 500 };
const maximumWaitMs = 500;
const rememberedEvents = 100_000;
const log = { deliveryTimeoutMs: 30_000, maximumWaitingBytes: 128 * 1024 * 1024 };
/** What may still be under way when a stop was asked for: the rest of the twenty seconds is for closing. */
const stopWaitMs = 16_000;

/** Starts the role that delivers events to webhooks; any number of processes share the work. */
export async function startDelivery(config: Config, logger: Logger, clock: Clock): Promise<RunningRole> {
  const releasers = createReleasers(logger);
  try {
    const metrics = createMetrics();
    const connections = await openConnections(config, { role: 'delivery', logger, releasers });
    const consumer = await createDeliveries({ config, logger, clock, metrics, connections, releasers });
    const { lost, report } = createLossReport(logger);
    await consumer.start(report);
    releasers.add('deliveries', () => consumer.stop(stopWaitMs));
    const health = await startHealthServer({ ...config.http, metrics, checks: connections.checks });
    releasers.add('health server', health.close);
    return { address: health.address, lost, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

interface DeliveryContext {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly connections: Connections;
  readonly releasers: Releasers;
}

/** Wires the way of an event: the log, its webhooks, the exchange with each, and the outcome back into the log. */
async function createDeliveries(context: DeliveryContext): Promise<WindowedConsumer> {
  const { config, logger, clock, metrics, connections, releasers } = context;
  const { kafka, offsets, models, progress } = connections;
  const { prefix, partitions } = config.topics;
  const group = `${prefix}delivery`;
  const producer = createLaneProducer(kafka, { prefix, partitions, ...log });
  const deadLetterProducer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([producer.connect(), deadLetterProducer.connect()]);
  releasers.add('log', producer.close);
  releasers.add('dead letter producer', () => deadLetterProducer.disconnect());
  const http = createHttpAttempt(attemptSettings(config));
  releasers.add('connections to webhooks', http.close);

  const webhooks = createWebhookReader(models.webhooks);
  const earlier = createEarlierDeliveries({
    offsets,
    models,
    progress,
    recentEvents: createRecentEvents(rememberedEvents),
  });
  const deliverPair = createDeliverPair({
    attempt: http.attempt,
    webhooks,
    slots: createWebhookSlots(config.delivery.webhookConcurrency),
    log: producer,
    secrets: createSecretBox(config.encryptionKeys),
    identifiers: createIdentifiers(createRandom()),
    clock,
    metrics,
    logger,
  });
  const deadLetters = createDeadLetters({
    producer: deadLetterProducer,
    prefix,
    group,
    clock,
    logger,
    metrics,
  });
  const handle = createDeliverEvent({ webhooks, earlier, deliverPair, deadLetters });
  const topics = ['events'] as const;
  const consumer = createGroupConsumer(kafka, logger, { groupId: group, topics, prefix, maximumWaitMs });
  return createWindowedConsumer(
    { consumer, deadLetters, logger },
    { ...window, handle, onAssigned: earlier.prepare },
  );
}

function attemptSettings({ delivery, webhooks }: Config): AttemptSettings {
  return {
    timeoutMs: delivery.attemptTimeoutMs,
    allowHttp: webhooks.allowHttp,
    allowPrivateAddresses: webhooks.allowPrivateAddresses,
    userAgent: 'Postrider/1.0',
  };
}
