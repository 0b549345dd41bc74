import { CloudOff } from 'lucide-react';
import { Button } from '../design/button.tsx';
import { State } from '../design/status.tsx';
import { useTitle } from '../router.tsx';

/** Shown while the gateway does not answer, before it is known who is signed in. */
export function Away({ retry }: { readonly retry: () => void }) {
  useTitle('No connection');
  return (
    <main className="gate">
      <h1 className="seen-by-readers">No connection</h1>
      <State
        icon={CloudOff}
        title="The gateway does not answer"
        action={
          <Button variant="primary" onPress={retry}>
            Try now
          </Button>
        }
      >
        It is asked again every few seconds. The console opens as soon as it answers.
      </State>
    </main>
  );
}
