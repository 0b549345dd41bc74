import { lazy, Suspense } from 'react';
import { question } from '../session/proof.ts';
import { useStore } from '../store.ts';

const ProofDialog = lazy(() => import('./proof-dialog.tsx'));

/** The question for a proof, where one is asked. */
export function ProofAsked() {
  const asked = useStore(question);
  if (asked === undefined) return null;
  return (
    <Suspense>
      <ProofDialog question={asked} />
    </Suspense>
  );
}
