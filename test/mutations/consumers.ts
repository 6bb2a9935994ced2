import {
  drop,
  removeCall,
  replaceCall,
  replaceCondition,
  replaceName,
  replaceOperator,
  replaceValue,
} from './changes.js';
import type { Mutation } from './mutation.js';

export const consumerMutations: readonly Mutation[] = [
  {
    file: 'consumers/lookups/webhookReader.ts',
    function: 'webhooksIn',
    change: replaceCondition('complete', 'false'),
    test: 'test/consumers/lookups/webhookReader.test.ts',
  },
  {
    file: 'consumers/lookups/webhookReader.ts',
    function: 'isFresh',
    change: replaceName('notBefore', '0', 2),
    test: 'test/consumers/lookups/webhookReader.test.ts',
  },
  {
    file: 'consumers/lookups/webhookReader.ts',
    function: 'isFresh',
    change: replaceName('notBeforeTime', '0', 2),
    test: 'test/consumers/lookups/webhookReader.test.ts',
  },
  {
    file: 'consumers/maintenance/cancelOpenDeliveries.ts',
    function: 'openDeliveriesOf',
    change: replaceOperator('<', '<='),
    test: 'test/consumers/maintenance/openDeliverySweep.test.ts',
  },
  {
    file: 'consumers/maintenance/cancelOpenDeliveries.ts',
    function: 'openDeliveriesOf',
    change: replaceCall('isOurs', 'true'),
    test: 'test/consumers/maintenance/openDeliverySweep.test.ts',
  },
  {
    file: 'consumers/maintenance/openDeliverySweep.ts',
    function: 'createSweep.sweepOne',
    change: replaceCondition('isLast', 'true'),
    test: 'test/consumers/maintenance/openDeliverySweep.test.ts',
  },
  {
    file: 'consumers/sources/expiredOffsets.ts',
    function: 'rejectExpiredOffsets',
    change: replaceOperator('>', '<'),
    test: 'test/cli/offsets/resetExpiredOffsets.test.ts',
  },
  {
    file: 'consumers/maintenance/retentionRecovery.ts',
    function: 'createRetentionRecovery',
    change: removeCall('rescheduleMissing'),
    test: 'test/consumers/maintenance/retentionRecovery.test.ts',
  },
  {
    file: 'consumers/sources/priorDeliveries.ts',
    function: 'createPriorDeliveries',
    change: drop('predatesAssignment'),
    test: 'test/consumers/sources/priorDeliveries.test.ts',
  },
  {
    file: 'consumers/sources/priorDeliveries.ts',
    function: 'isRepeated',
    change: drop('dlq_redriven'),
    test: 'test/consumers/sources/priorDeliveries.test.ts',
  },
  {
    file: 'consumers/lookups/assignmentEndOffsets.ts',
    function: 'createAssignments.prepareAssignment',
    change: replaceCall('reached.includes', 'false'),
    test: 'test/consumers/lookups/assignmentEndOffsets.test.ts',
  },
  {
    file: 'consumers/sources/runReplay.ts',
    function: 'nextPage',
    change: drop('isHandedOver'),
    test: 'test/consumers/sources/resuming.test.ts',
  },
  {
    file: 'consumers/sources/runReplay.ts',
    function: 'nextPage.after',
    change: replaceValue('null'),
    test: 'test/consumers/sources/resuming.test.ts',
  },
  {
    file: 'consumers/sources/runReplay.ts',
    function: 'createRunReplay',
    change: replaceCondition('running', 'replay === null'),
    test: 'test/consumers/sources/ending.test.ts',
  },
  {
    file: 'consumers/sources/runReplay.ts',
    function: 'createRunReplay.step',
    change: replaceCall('hasEnded', 'false'),
    test: 'test/consumers/sources/ending.test.ts',
  },
  {
    file: 'consumers/lookups/accountCheck.ts',
    function: 'createAccountCheck',
    change: replaceCall('accountExists', 'true'),
    test: 'test/endToEnd/foreignProducers.test.ts',
  },
  {
    file: 'consumers/retry/autoDisable.ts',
    function: 'readFailureHistory.after',
    change: replaceCondition('enabledAt', 'true'),
    test: 'test/consumers/retry/failureHistory.test.ts',
  },
  {
    file: 'consumers/maintenance/accountDeletion.ts',
    function: 'createAccountDeletion',
    change: replaceCall('reservations.removeAll', '0'),
    test: 'test/cli/accounts/deleteAccount.test.ts',
  },
  {
    file: 'consumers/sources/priorDeliveries.ts',
    function: 'createPriorDeliveries.ownRecord',
    change: replaceCondition('mayBeRepeated', 'false'),
    test: 'test/consumers/sources/priorDeliveries.test.ts',
  },
  {
    file: 'consumers/sources/priorDeliveries.ts',
    function: 'createPriorDeliveries.ownRecord',
    change: replaceCondition('mayBeRepeated', 'true'),
    test: 'test/consumers/sources/priorDeliveries.test.ts',
  },
  {
    file: 'consumers/sources/priorDeliveries.ts',
    function: 'createPriorDeliveries.mayBeRepeated',
    change: drop('isInOtherPartition'),
    test: 'test/consumers/sources/priorDeliveries.test.ts',
  },
];
