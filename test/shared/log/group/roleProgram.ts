import { runRole } from '../../../../cli/roles/runRole.js';
import { loadConfig } from '../../../../shared/settings/config.js';
import { createKafkaClient } from '../../../../shared/log/client/client.js';
import { createLossReport } from '../../../../shared/runtime/role.js';
import { startMember } from './member.js';

/**
 * A role that reads events. For an event with the key `unawaited` its handler creates a promise that fails, and does
 * not await it. A topic that is missing for 200 ms ends the role.
 */
await runRole(
  'delivery',
  async (config, logger) => {
    const kafka = createKafkaClient(config.kafka, { clientId: 'role', logger });
    const { lost, report } = createLossReport(logger);
    const member = await startMember(
      { config, kafka, logger },
      {
        group: { missingTopicLimitMs: 200 },
        handle: ({ key }) => {
          if (key?.toString() === 'unawaited') {
            void Promise.reject(new Error('this promise is not awaited'));
          }
          return Promise.resolve('done');
        },
        onLost: report,
      },
    );
    return { address: '', metricsAddress: '', lost, stop: () => member.stop(1000) };
  },
  loadConfig(process.env),
);
