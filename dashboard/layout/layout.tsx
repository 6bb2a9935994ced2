import { FlaskConical } from 'lucide';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { Icon } from '../components/icon.js';
import { Mark } from '../components/mark.js';
import { useMode } from '../navigation/useMode.js';
import { Moved } from '../navigation/usePageHeading.js';
import { WebhookNames } from '../webhooks/webhookNames.js';
import { AccountBox } from './accountBox.js';
import { Menu } from './menu.js';
import { ModeSwitch } from './modeSwitch.js';
import { Navigation } from './navigation.js';
import { Pages } from './pages.js';
import { TroubleWatch } from './troubleWatch.js';
import { focusFirstItem, Shortcuts } from './shortcuts.js';

export function Layout() {
  const { path } = useLocation();
  const mode = useMode();
  const first = useRef(path);
  const moved = useRef(false);
  useEffect(() => {
    moved.current ||= path !== first.current;
  }, [path]);
  const hasMoved = useCallback(() => moved.current, []);
  return (
    <Moved.Provider value={hasMoved}>
      <TroubleWatch>
        <div class={`layout layout-${mode}`}>
          <a class="skip" href="#content">
            Skip to content
          </a>
          <button type="button" class="skip" onClick={focusFirstItem}>
            Skip to first item
          </button>
          <Shortcuts />
          <aside class="side">
            <div class="side-head">
              <Mark />
            </div>
            <Navigation />
            <AccountBox />
          </aside>
          <div class="body">
            <header class="top">
              <Menu />
              <span class="top-mark">
                <Mark />
              </span>
              {mode === 'test' && (
                <p class="test-words">
                  <Icon of={FlaskConical} size={15} />
                  <strong>Test mode.</strong>{' '}
                  <span class="test-more">Events are stored but never delivered.</span>
                </p>
              )}
              <ModeSwitch />
            </header>
            <main id="content" class="content" tabIndex={-1}>
              <WebhookNames key={mode}>
                <Pages />
              </WebhookNames>
            </main>
          </div>
        </div>
      </TroubleWatch>
    </Moved.Provider>
  );
}
