import { Monitor, Moon, Sun } from 'lucide';
import { useId, useState } from 'preact/hooks';

import { Icon } from '../components/icon.js';
import { applyTheme, storedTheme, storeTheme, type Theme } from './theme.js';

const looks = [
  ['system', 'System default', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const;

export function ThemeSwitch() {
  // The page contains the switch twice: in the sidebar, and in the menu of a narrow page.
  const group = useId();
  const [theme, setTheme] = useState(storedTheme);
  const choose = (chosen: Theme) => {
    setTheme(chosen);
    storeTheme(chosen);
    applyTheme(chosen);
  };
  return (
    <fieldset class="segmented">
      <legend class="hidden">Theme</legend>
      {looks.map(([each, text, icon]) => (
        <label key={each} class="segment" title={text}>
          <input
            type="radio"
            name={group}
            value={each}
            checked={each === theme}
            onChange={() => {
              choose(each);
            }}
          />
          <span>
            <Icon of={icon} size={15} />
            <span class="hidden">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
