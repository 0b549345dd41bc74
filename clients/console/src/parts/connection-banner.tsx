import { useState } from 'react';
import type { Link } from '../graph/link.ts';
import { useStore } from '../store.ts';

/** Says that the connection is lost, and what becomes of it. While all is well it is silent. */
export function ConnectionBanner({ link, label }: { readonly link: Link; readonly label: string }) {
  const state = useStore(link.state);
  const [refused, setRefused] = useState<string>();
  const sign = async () => {
    setRefused(undefined);
    try {
      await link.sign();
    } catch (error) {
      setRefused((error as Error).message);
    }
  };
  const shown = state === 'lost' || state === 'unsigned';
  return (
    <div role="status" className={shown ? 'banner' : undefined}>
      {state === 'lost' && <p>The connection is lost. It is being opened again; nothing will be missed.</p>}
      {state === 'unsigned' && (
        <>
          <p>
            The connection is lost. A signature opens one connection, so {label} has to sign for the next; all goes on
            from where it was.
          </p>
          <button type="button" className="slim" onClick={() => void sign()}>
            Sign and go on
          </button>
          {refused !== undefined && <p>{refused}</p>}
        </>
      )}
    </div>
  );
}
