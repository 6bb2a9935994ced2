import type { Replay } from '../api/types.js';

export type Only = Replay['filter']['only'];

const choices: readonly (readonly [Only, string, string])[] = [
  ['failed', 'What failed', 'The schedule was used up, or the delivery was canceled.'],
  ['missing', 'What never went out', 'Posted before the webhook existed, or while it was disabled.'],
  ['all', 'Everything', 'Also what was delivered: the receiver gets it once more.'],
];

interface OnlyChoiceProps {
  readonly only: Only;
  readonly onChange: (only: Only) => void;
}

export function OnlyChoice({ only, onChange }: OnlyChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>Which events</legend>
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
