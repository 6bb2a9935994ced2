import { useLocation } from 'preact-iso/router';

import { useMode } from '../navigation/useMode.js';
import { counterpart } from '../navigation/places.js';

/** Links to live mode and test mode. The mode is part of the page's address. */
export function ModeSwitch() {
  const { path } = useLocation();
  const mode = useMode();
  const other = counterpart(path);
  return (
    <nav class={`mode-switch mode-switch-${mode}`} aria-label="Mode">
      <a href={mode === 'live' ? path : other} aria-current={mode === 'live' ? 'true' : undefined}>
        Live
      </a>
      <a href={mode === 'test' ? path : other} aria-current={mode === 'test' ? 'true' : undefined}>
        Test
      </a>
    </nav>
  );
}
