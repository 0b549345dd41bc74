import { useEffect, useRef, useState } from 'react';
import { Button } from '../design/button.tsx';
import type { Link } from '../graph/link.ts';
import { useStore } from '../store.ts';

/** Shows that the connection is lost and when it is tried again. Renders nothing while the connection is open. */
export function ConnectionBanner({ link, label }: { readonly link: Link; readonly label: string }) {
  const state = useStore(link.state);
  const [refused, setRefused] = useState<string>();
  const [isSigning, setSigning] = useState(false);
  // A second press may come before the next render, and each would open a prompt of the wallet.
  const signs = useRef(false);
  const sign = async () => {
    if (signs.current) return;
    signs.current = true;
    setSigning(true);
    setRefused(undefined);
    try {
      await link.sign();
    } catch (error) {
      setRefused((error as Error).message);
    }
    signs.current = false;
    setSigning(false);
  };
  const shown = state === 'lost' || state === 'unsigned';
  return (
    <div className={shown ? 'banner' : undefined}>
      <div role="status">
        {state === 'lost' && <p>The connection is lost. The page stays as it is, and no change is missed.</p>}
        {state === 'unsigned' && (
          <p>
            The connection is lost. A signature opens one connection, so {label} has to sign for the next; all goes on
            from where it was.
          </p>
        )}
        {state === 'unsigned' && refused !== undefined && <p>{refused}</p>}
      </div>
      {state === 'lost' && <Waiting link={link} />}
      {state === 'unsigned' && (
        <Button small isPending={isSigning} onPress={() => void sign()}>
          Sign and go on
        </Button>
      )}
    </div>
  );
}

/** Interval at which the countdown updates, in milliseconds. */
const countMs = 250;

/**
 * The countdown to the next attempt. It is outside the live region, so that screen readers do not announce each
 * second.
 */
function Waiting({ link: { nextTry, retry } }: { readonly link: Link }) {
  const at = useStore(nextTry);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), countMs);
    return () => clearInterval(timer);
  }, []);
  const seconds = at === undefined ? 0 : Math.ceil((at - now) / 1000);
  return (
    <>
      <span>{seconds > 0 ? `Waiting for the gateway (${seconds} s)…` : 'Waiting for the gateway…'}</span>
      <Button small onPress={retry}>
        Retry
      </Button>
    </>
  );
}
