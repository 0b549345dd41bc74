import { Suspense } from 'react';
import { Provider } from 'urql';
import { pageOf } from './pages.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Loading } from './parts/loaded.tsx';
import { usePath } from './router.tsx';
import { session } from './session/session.ts';
import type { Settings } from './settings.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { useStore } from './store.ts';

/** The whole console: a way in, and behind it the page that the address names. */
export function App({ settings }: { readonly settings: Settings }) {
  const current = useStore(session);
  const path = usePath();
  if (current.state !== 'in') return <SignIn session={current} settings={settings} />;
  return (
    <Provider value={current.link.client}>
      <Shell member={current.member} link={current.link} settings={settings} path={path}>
        {/* Anew for each page: what broke one is no matter to the next. */}
        <Boundary key={path}>
          <Suspense fallback={<Loading />}>{pageOf(path)}</Suspense>
        </Boundary>
      </Shell>
    </Provider>
  );
}
