import { createCommandRunner, type CommandRunner } from '../shared/commands/commandRunner.js';
import type { Connections } from '../shared/connections/connections.js';
import type { Clock } from '../shared/core/clock.js';
import type { Logger } from '../shared/core/logger.js';
import { type Identifiers } from '../shared/domain/core/identifiers.js';
import { createAccountKeys } from '../shared/encryption/accountKeys.js';
import { createSealingLog } from '../shared/encryption/sealingLog.js';
import { type BoundaryIds } from '../shared/log/client/boundaryIds.js';
import type { LogAppender } from '../shared/log/producer/producer.js';
import { eventTypesTopic } from '../shared/log/topics/names.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import { createSecurityLog } from '../shared/security/securityLog.js';
import type { Config } from '../shared/settings/config.js';
import { createLeases } from '../shared/store/coordination/leases.js';
import { createEndWebhooks } from '../shared/tenants/endWebhooks.js';
import { createTenantCommands } from '../shared/tenants/tenantCommands.js';
import { createEventBoundary } from '../shared/log/client/eventBoundary.js';
import type { TenantLookup } from './resources/tenants/tenantLookup.js';
import { createAuditTrail } from './auditTrail/auditTrail.js';
import { createAuditWriter } from './auditTrail/auditWriter.js';

interface WriterOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly releasers: Releasers;
  readonly identifiers: Identifiers;
  readonly boundaryIds: BoundaryIds;
}

/** The writers to the topics of commands. The writers finish their appends when the role stops. */
export function createWriters(
  connections: Connections,
  producer: LogAppender,
  { config, clock, logger, releasers, identifiers, boundaryIds }: WriterOptions,
) {
  const log = sealingLog(connections, producer, config, clock);
  const securityLog = createSecurityLog(logger, () => performance.now());
  const auditWriter = createAuditWriter(log, securityLog);
  releasers.add('audit log', auditWriter.close);
  const commandRunner = createCommands(connections, log, { config, clock });
  const { models, offsets, progress } = connections;
  const eventBoundary = createEventBoundary({ offsets, boundaryIds });
  const endWebhooks = createEndWebhooks({ log, webhooks: models.webhooks, progress: progress.webhooks });
  return {
    commandRunner,
    eventBoundary,
    tenantCommands: ({ find }: Pick<TenantLookup, 'find'>) =>
      createTenantCommands({
        runner: commandRunner,
        find,
        eventBoundary,
        endWebhooks,
        apiKeys: models.tenantApiKeys,
      }),
    auditTrail: createAuditTrail({ auditWriter, securityLog, clock, identifiers }),
  };
}

/**
 * The log of commands. The log encrypts personal data with one key per account, so that destroying the key destroys the
 * data.
 */
function sealingLog(
  connections: Connections,
  producer: LogAppender,
  { encryptionKeys }: Config,
  clock: Clock,
): LogAppender {
  const keys = createAccountKeys(connections, encryptionKeys);
  return createSealingLog({ log: producer, keys, clock });
}

/** Runs the commands of each topic. A command waits for the progress of the read model that applies it. */
function createCommands(
  { mongo, offsets, progress }: Connections,
  log: LogAppender,
  { config, clock }: Pick<WriterOptions, 'config' | 'clock'>,
): CommandRunner {
  const { webhooks, accounts, replays, events, eventTypes, tenants } = progress;
  return createCommandRunner({
    log,
    offsets,
    leases: createLeases(mongo.database),
    clock,
    readModelMs: config.deadlines.readModelMs,
    progress: { webhooks, accounts, replays, deliveries: events, [eventTypesTopic]: eventTypes, tenants },
  });
}
