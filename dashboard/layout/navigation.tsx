import {
  Activity,
  ArrowLeftRight,
  BookOpen,
  Building2,
  Gauge,
  KeyRound,
  PanelsTopLeft,
  ScrollText,
  Shapes,
  Users,
  Webhook,
  Zap,
} from 'lucide';
import { useLocation } from 'preact-iso/router';

import { Icon } from '../components/icon.js';
import { placeOf } from '../navigation/places.js';
import { useAddress } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';

const everybody = [
  ['/', 'Overview', Activity],
  ['/events', 'Events', Zap],
  ['/attempts', 'Attempts', ArrowLeftRight],
  ['/webhooks', 'Webhooks', Webhook],
  ['/event-types', 'Event types', Shapes],
  ['/tenants', 'Tenants', Building2],
] as const;

const owners = [
  ['/portal', 'Customer portal', PanelsTopLeft],
  ['/api-keys', 'API keys', KeyRound],
  ['/users', 'Users', Users],
  ['/audit-log', 'Audit log', ScrollText],
] as const;

const plan = [['/plan', 'Plan and limits', Gauge]] as const;

export function Navigation() {
  const { path } = useLocation();
  const address = useAddress();
  const isOwner = useMay('owner');
  const [, section = ''] = placeOf(path).split('/');
  const places = [...everybody, ...(isOwner ? owners : []), ...plan];
  return (
    <nav class="navigation" aria-label="Dashboard pages">
      <ul>
        {places.map(([place, text, icon]) => (
          <li key={place}>
            <a href={address(place)} aria-current={place === `/${section}` ? 'page' : undefined}>
              <Icon of={icon} size={17} />
              {text}
            </a>
          </li>
        ))}
        <li>
          <a href="/docs" target="_blank" rel="noopener">
            <Icon of={BookOpen} size={17} />
            API reference
          </a>
        </li>
      </ul>
    </nav>
  );
}
