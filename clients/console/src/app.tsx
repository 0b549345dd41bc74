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

/**
 * The root component of the console. It shows the sign-in page or, to a signed-in member, the page of the address.
 */
export function App({ settings }: { readonly settings: Settings }) {
  const current = useStore(session);
  const path = usePath();
  if (current.state !== 'in') return <SignIn session={current} settings={settings} />;
  return (
    <Provider value={current.link.client}>
      <Shell member={current.member} link={current.link} settings={settings} path={path}>
        {/* Remounted for each page: an error of one page does not affect the next. */}
        <Boundary key={path}>
          <Suspense fallback={<Loading />}>{pageOf(path)}</Suspense>
        </Boundary>
      </Shell>
    </Provider>
  );
}
