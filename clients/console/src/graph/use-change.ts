import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { somethingChanged } from './changes.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { sendChange, tookPlace } from './send-change.ts';

/** A mutation that a component can run, with the outcome of its last run. */
export interface Change<Input, Data> {
  /** @returns the answer; undefined when the gateway refused it */
  readonly run: (input: Omit<Input, 'idempotencyKey'>) => Promise<Data | undefined>;
  readonly busy: boolean;
  readonly error: Envelope | undefined;
  /** Whether the last run succeeded, and no other has started since. */
  readonly done: boolean;
}

/**
 * Provides a mutation with one input. Each run has an idempotency key: a run that is sent again after a lost
 * connection takes effect once.
 */
export function useChange<Input, Data>(document: TypedDocumentNode<Data, { input: Input }>): Change<Input, Data> {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const [done, setDone] = useState(false);
  const focused = useFocusAfter(busy);
  const run = async (input: Omit<Input, 'idempotencyKey'>) => {
    focused.note();
    setBusy(true);
    setError(undefined);
    setDone(false);
    const keyed = { ...input, idempotencyKey: crypto.randomUUID() } as Input;
    const sent = await sendChange(client, document, { input: keyed });
    setBusy(false);
    if (tookPlace(sent)) {
      setDone(true);
      somethingChanged();
      return sent.data;
    }
    setError(envelopeOf(sent.error));
    return undefined;
  };
  return { run, busy, error, done };
}

/**
 * A disabled button loses the keyboard focus. This restores it, so that the user need not tab from the top of the
 * page.
 */
function useFocusAfter(busy: boolean): { readonly note: () => void } {
  const noted = useRef<Element>(null);
  useEffect(() => {
    if (!busy && document.activeElement === document.body && noted.current instanceof HTMLElement)
      noted.current.focus({ preventScroll: true });
  }, [busy]);
  return {
    note: () => {
      noted.current = document.activeElement;
    },
  };
}
