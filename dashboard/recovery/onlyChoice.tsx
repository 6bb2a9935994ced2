import type { Replay } from '../api/types.js';

export type Only = Replay['filter']['only'];

const choices: readonly (readonly [Only, string, string])[] = [
  ['failed', 'Failed deliveries', 'All retries failed, or the delivery was canceled.'],
  [
    'missing',
    'Never sent',
    'Events that were posted before the webhook was created, or while the webhook was disabled.',
  ],
  ['open', 'Open deliveries', 'Deliveries that wait for their next attempt. The attempt is made now.'],
  ['undelivered', 'Everything undelivered', 'Failed and open deliveries, and events without a delivery.'],
  ['all', 'All events', 'The replay includes delivered events. The receiver gets these events again.'],
];

interface OnlyChoiceProps {
  readonly only: Only;
  readonly onChange: (only: Only) => void;
}

export function OnlyChoice({ only, onChange }: OnlyChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Events to replay</legend>
      {choices.map(([each, name, text]) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name="only"
            checked={each === only}
            onChange={() => {
              onChange(each);
            }}
          />
          <span>
            {name}
            <span class="quiet small under">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
