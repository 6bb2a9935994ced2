import type { CommandRunner } from '../../../shared/commands/commandRunner.js';
import type { AccountFact } from '../../../shared/domain/accounts/account.js';
import {
  defaultPortalSettings,
  type PortalSettings,
} from '../../../shared/domain/accounts/portalSettings.js';
import { changesOf, withChanges, type Update } from '../../../shared/domain/core/changes.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { accountRecordContext, readAccount } from '../../authentication/callerAccount.js';
import type { Caller } from '../../http/context.js';

export interface AccountCommands {
  /** Changes the settings of the customer portal. A change without a difference appends nothing. */
  changePortal: (caller: Caller, update: Update<PortalSettings>, identity: RequestIdentity) => Promise<void>;
}

export interface AccountCommandDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
}

export function createAccountCommands({ runner, accounts }: AccountCommandDependencies): AccountCommands {
  return {
    changePortal: ({ accountId, actor }, update, identity) =>
      runner.run({
        accountId,
        topic: 'accounts',
        decide: async () => {
          const { portal } = await readAccount(accounts, accountId);
          const from = { ...defaultPortalSettings, ...portal };
          const changes = changesOf(from, update);
          if (Object.keys(changes).length === 0) {
            return { records: [], result: undefined };
          }
          const fact: AccountFact = {
            type: 'postrider.account.settings-changed',
            value: { changes: { portal: { from, to: withChanges(from, changes) } }, actor },
          };
          const record = accountRecords.encode(fact, accountRecordContext(accountId, identity));
          return { records: [record], result: undefined };
        },
      }),
  };
}
