import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';

/** A secret that is hidden until the user asks to see it. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [shown, setShown] = useState(false);
  return (
    <div className="secret">
      <code>{shown ? value : '•'.repeat(24)}</code>
      <button type="button" className="slim" aria-pressed={shown} onClick={() => setShown(!shown)}>
        {shown ? 'Hide' : 'Show'} <span className="seen-by-readers">{name}</span>
      </button>
      <CopyButton what={name} text={value} />
    </div>
  );
}
