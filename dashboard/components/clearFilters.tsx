import type { ParameterChanges } from '../navigation/changedAddress.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { Button } from './button.js';
import { anyTime } from './timeFilter.js';

interface ClearFiltersProps {
  /** The changes of the address that remove the filters, without the time range and the page. */
  readonly filters: ParameterChanges;
  readonly isFiltered: boolean;
}

/** A button that removes all filters of a list from the address of the page. */
export function ClearFilters({ filters, isFiltered }: ClearFiltersProps) {
  const [, change] = useParameters();
  return isFiltered ? (
    <Button
      kind="quiet"
      onClick={() => {
        change({ ...firstPage, ...anyTime, ...filters });
      }}
    >
      Clear filters
    </Button>
  ) : null;
}
