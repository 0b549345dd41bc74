import { lazy, Suspense } from 'react';
import { question } from '../session/proof.ts';
import { useStore } from '../store.ts';

const ProofDialog = lazy(() => import('./proof-dialog.tsx'));

/** The dialog that asks for a proof, while a change needs one. */
export function ProofPrompt() {
  const asked = useStore(question);
  if (asked === undefined) return null;
  return (
    <Suspense>
      <ProofDialog question={asked} />
    </Suspense>
  );
}
