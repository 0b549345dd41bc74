import { useState } from 'react';

/** Copies a text, and says so. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" className="slim" onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy'} <span className="seen-by-readers">{what}</span>
    </button>
  );
}
