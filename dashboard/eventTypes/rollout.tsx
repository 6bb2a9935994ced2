import { useState } from 'preact/hooks';

import type { EventType, EventTypeDryRun } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Confirmation } from '../components/confirmation.js';
import { FailureNotice } from '../components/failureNotice.js';
import { useApi } from '../session/session.js';
import { DryRunResult, dryRunText } from './dryRunResult.js';
import { dryRunType, fieldsOf, putType, type LoadedType } from './typeResource.js';

type Validation = EventType['validation'];

const nextSteps = {
  off: { validation: 'warn', deed: 'Start warnings' },
  warn: { validation: 'reject', deed: 'Start to reject' },
  reject: null,
} as const;

const stepsBack: Readonly<Record<Validation, readonly (readonly [Validation, string])[]>> = {
  off: [],
  warn: [['off', 'Stop checks']],
  reject: [
    ['warn', 'Back to warnings'],
    ['off', 'Stop checks'],
  ],
};

const effects: Readonly<Record<Validation, string>> = {
  off: 'The API does not check events of this type. A dry run checks the newest 10,000 stored events, and changes nothing.',
  warn: 'The API accepts each event, and records whether it matches the schema.',
  reject: 'The API answers 400 event_data_invalid to an event that does not match the schema.',
};

interface RolloutProps {
  readonly loaded: LoadedType;
  readonly may: boolean;
  readonly onChanged: () => void;
}

/** The steps from `off` over a dry run and `warn` to `reject`. Each next step needs a dry run first. */
export function Rollout({ loaded, may, onChanged }: RolloutProps) {
  const api = useApi();
  const announce = useAnnounce();
  const [result, setResult] = useState<EventTypeDryRun | null>(null);
  const [chosen, setChosen] = useState<Validation | null>(null);
  const { name, validation } = loaded.eventType;
  const fields = fieldsOf(loaded);
  const dryRun = useAction(async () => {
    setResult(null);
    setResult(await dryRunType(api, name, fields));
  });
  const change = async (to: Validation) => {
    await putType(api, name, { ...fields, validation: to });
    announce('The validation was changed.');
    setResult(null);
    onChanged();
  };
  return (
    <section class="card card-text" aria-label="Validation">
      <h2>Validation</h2>
      <p>{effects[validation]}</p>
      {loaded.schemaText === '' && <p>Add a schema before you check events.</p>}
      {result !== null && <DryRunResult result={result} />}
      <FailureNotice failure={dryRun.failure} />
      {may && (
        <div class="form-actions">
          {loaded.schemaText !== '' && (
            <Button isBusy={dryRun.isRunning} onClick={dryRun.run}>
              Check stored events
            </Button>
          )}
          <Steps from={validation} isChecked={result !== null} onChoose={setChosen} />
        </div>
      )}
      {chosen !== null && (
        <ChangeValidation
          from={validation}
          to={chosen}
          result={result}
          onConfirm={() => change(chosen)}
          onClose={() => {
            setChosen(null);
          }}
        />
      )}
    </section>
  );
}

interface StepsProps {
  readonly from: Validation;
  /** Whether a dry run was made, without which no next step is offered. */
  readonly isChecked: boolean;
  readonly onChoose: (to: Validation) => void;
}

function Steps({ from, isChecked, onChoose }: StepsProps) {
  const next = nextSteps[from];
  return (
    <>
      {next !== null && isChecked && (
        <Button
          kind="primary"
          onClick={() => {
            onChoose(next.validation);
          }}
        >
          {next.deed}
        </Button>
      )}
      {stepsBack[from].map(([to, deed]) => (
        <Button
          key={to}
          onClick={() => {
            onChoose(to);
          }}
        >
          {deed}
        </Button>
      ))}
    </>
  );
}

interface ChangeValidationProps {
  readonly from: Validation;
  readonly to: Validation;
  readonly result: EventTypeDryRun | null;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** The confirmation of a step, with the counts of the dry run. */
function ChangeValidation({ from, to, result, onConfirm, onClose }: ChangeValidationProps) {
  return (
    <Confirmation
      title="Change validation"
      deed={deedOf(from, to)}
      isDangerous={to === 'reject'}
      takesAway
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{effects[to]}</p>
      {result !== null && (
        <p>
          The dry run: {dryRunText(result)}
          {!result.complete && ' The dry run was not complete, so the number may be higher.'}
        </p>
      )}
    </Confirmation>
  );
}

function deedOf(from: Validation, to: Validation): string {
  const next = nextSteps[from];
  return next?.validation === to
    ? next.deed
    : (stepsBack[from].find(([validation]) => validation === to)?.[1] ?? 'Change validation');
}
