import { Button } from './button.js';
import { Notice } from './notice.js';

interface AddressFaultsProps {
  /** The names of the invalid parameters in the address. */
  readonly faults: readonly string[];
  readonly onRemove: () => void;
}

/** A notice of invalid filters in the address of the page, which the page cannot apply. */
export function AddressFaults({ faults, onRemove }: AddressFaultsProps) {
  if (faults.length === 0) {
    return null;
  }
  return (
    <Notice
      kind="warn"
      actions={
        <Button isSmall onClick={onRemove}>
          Remove from address
        </Button>
      }
    >
      <p>
        <strong>The address contains an invalid filter.</strong> The page ignores:{' '}
        <code class="breakable">{faults.join(', ')}</code>
      </p>
    </Notice>
  );
}
