import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { somethingChanged } from './changes.ts';
import { type Envelope, envelopeOf, isUnknown } from './envelope.ts';
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
 * connection takes effect once. While the outcome of a run is unknown, another run with the same input is the same
 * change, and has the same key. A run with the input of one that is under way does nothing: a press that is repeated ten
 * times comes before the button knows of the first.
 */
export function useChange<Input, Data>(document: TypedDocumentNode<Data, { input: Input }>): Change<Input, Data> {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Envelope>();
  const [done, setDone] = useState(false);
  const focused = useFocusAfter(busy);
  const unknown = useRef<Sent>(undefined);
  const running = useRef(new Set<string>());
  const run = async (input: Omit<Input, 'idempotencyKey'>) => {
    const of = JSON.stringify(input);
    if (running.current.has(of)) return undefined;
    running.current.add(of);
    focused.note();
    setBusy(true);
    setError(undefined);
    setDone(false);
    const key = unknown.current?.of === of ? unknown.current.key : crypto.randomUUID();
    const keyed = { ...input, idempotencyKey: key } as Input;
    const sent = await sendChange(client, document, { input: keyed });
    running.current.delete(of);
    setBusy(running.current.size > 0);
    const refused = tookPlace(sent) ? undefined : envelopeOf(sent.error);
    unknown.current = refused !== undefined && isUnknown(refused) ? { of, key } : undefined;
    if (refused === undefined) {
      setDone(true);
      somethingChanged();
      return sent.data;
    }
    setError(refused);
    return undefined;
  };
  return { run, busy, error, done };
}

/** A run whose outcome is unknown. */
interface Sent {
  /** Its input, as JSON. */
  readonly of: string;
  readonly key: string;
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
