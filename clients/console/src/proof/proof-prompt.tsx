import { Component, type ReactNode } from 'react';
import { announceFailure } from '../design/toast.tsx';
import { lazyCode } from '../lazy-code.tsx';
import { loadCode } from '../load-code.ts';
import { type Question, question } from '../session/proof.ts';
import { useStore } from '../store.ts';

const ProofDialog = lazyCode(() => loadCode(() => import('./proof-dialog.tsx')));

/** The dialog that asks for a proof, while a change needs one. */
export function ProofPrompt() {
  const asked = useStore(question);
  if (asked === undefined) return null;
  return (
    <Unasked question={asked}>
      <ProofDialog question={asked} />
    </Unasked>
  );
}

interface UnaskedProps {
  readonly question: Question;
  readonly children: ReactNode;
}

/** A dialog that cannot be shown counts as declined: its page says what was refused, and keeps what was typed. */
class Unasked extends Component<UnaskedProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override componentDidCatch(error: Error) {
    announceFailure('The confirmation could not be shown.', error.message);
    this.props.question.answer(undefined);
  }

  override render() {
    return this.state.isBroken ? null : this.props.children;
  }
}
