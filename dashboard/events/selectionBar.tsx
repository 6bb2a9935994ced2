import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import type { ListedEvent } from '../api/types.js';
import { Button } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { counted } from '../components/timeText.js';
import type { EventFilters } from './eventFilters.js';
import { ResendDialog } from './resendDialog.js';
import { matchingFault, type ResentEvents } from './resendRequest.js';
import { mostChosen, type EventSelection } from './useSelection.js';

interface SelectionBarProps {
  /** The events on the page. */
  readonly events: readonly ListedEvent[];
  readonly filters: EventFilters;
  readonly selection: EventSelection;
}

/** The check box for all events on the page, and the buttons that resend events. */
export function SelectionBar({ events, filters, selection }: SelectionBarProps) {
  const [resent, setResent] = useState<ResentEvents | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { maySelect, chosen, choose, clear } = selection;
  if (!maySelect) {
    return null;
  }
  const ids = events.map(({ id }) => id);
  const resendMatching = () => {
    const found = matchingFault(filters);
    setFault(found);
    setResent(found === null ? { kind: 'matching', filters } : null);
  };
  return (
    <div class="selection" role="group" aria-label="Selected events">
      <label class="select-all">
        <input
          type="checkbox"
          checked={ids.every((id) => chosen.has(id))}
          onChange={({ currentTarget: { checked } }) => {
            choose(ids, checked);
          }}
        />
        <span>Select page</span>
      </label>
      <span role="status" class="quiet small">
        {selectedText(chosen.size)}
      </span>
      <span class="buttons">
        {chosen.size > 0 && (
          <>
            <Button isSmall kind="quiet" onClick={clear}>
              Clear selection
            </Button>
            <Button
              isSmall
              kind="primary"
              icon={Send}
              onClick={() => setResent({ kind: 'chosen', ids: [...chosen] })}
            >
              Resend selected events
            </Button>
          </>
        )}
        <Button isSmall icon={Send} onClick={resendMatching}>
          Resend all that match
        </Button>
      </span>
      {fault !== null && <Notice kind="info">{fault}</Notice>}
      {resent !== null && (
        <ResendDialog
          events={resent}
          webhookId={filters.webhookId}
          onClose={() => {
            setResent(null);
          }}
        />
      )}
    </div>
  );
}

function selectedText(count: number): string {
  if (count === 0) {
    return '';
  }
  return `${counted(count, 'event')} selected${count === mostChosen ? ', the most for one resend' : ''}.`;
}
