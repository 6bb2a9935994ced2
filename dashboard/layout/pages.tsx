import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { Button } from '../components/button.js';
import { Notice } from '../components/notice.js';
import { SkeletonBox } from '../components/skeleton.js';
import { placeOf } from '../navigation/places.js';
import type { PageProps } from '../navigation/pageProps.js';
import { pageAt, type PageEntry } from './pageTable.js';

interface LoadedPage {
  readonly entry: PageEntry;
  readonly component: ComponentType<PageProps> | null;
}

export function Pages() {
  const { path } = useLocation();
  const match = pageAt(placeOf(path));
  const loaded = useScript(match.entry);
  if (loaded === null) {
    return <SkeletonBox size="large" what="the page" />;
  }
  const Page = loaded.component;
  return Page === null ? <MissingScript /> : <Page key={path} id={match.id} innerId={match.innerId} />;
}

/** The component of a page after its script is loaded, otherwise null. */
function useScript(entry: PageEntry): LoadedPage | null {
  const [loaded, setLoaded] = useState<LoadedPage | null>(null);
  useEffect(() => {
    let isWanted = true;
    const show = (component: LoadedPage['component']) => {
      if (isWanted) {
        setLoaded({ entry, component });
      }
    };
    entry.load().then(show, () => {
      show(null);
    });
    return () => {
      isWanted = false;
    };
  }, [entry]);
  return loaded?.entry === entry ? loaded : null;
}

/**
 * The content of a page whose script cannot be loaded. The service was updated after the dashboard was opened, or the
 * network is unavailable.
 */
function MissingScript() {
  return (
    <Notice
      kind="bad"
      actions={
        <Button
          onClick={() => {
            location.reload();
          }}
        >
          Reload page
        </Button>
      }
    >
      <p>The script of this page could not be loaded.</p>
    </Notice>
  );
}
