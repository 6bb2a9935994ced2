import { Segmented } from '../components/segmented.js';
import { useZone } from '../components/zone.js';

const zones = [
  ['local', 'Local time'],
  ['utc', 'UTC'],
] as const;

/** The choice of the time zone of all times. */
export function ZoneSwitch() {
  const { texts, choose } = useZone();
  return <Segmented label="Time zone" value={texts.zone} options={zones} onChange={choose} />;
}
