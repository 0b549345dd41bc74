import { sha256Hex } from '../../core/keys.ts';
import type { Signals } from '../../subscriptions/signals.ts';
import type { RpcId } from '../json-rpc.ts';

/** Most calls of one node that can be cancelled at a time; those beyond end with their connection alone. */
const callsMax = 4_096;

export interface RunningCalls {
  /**
   * Notes a call that its session may cancel.
   *
   * @returns the signal that is aborted then, and what is to be done when the call is over
   */
  readonly begin: (
    session: string,
    id: Exclude<RpcId, null>,
  ) => { readonly signal: AbortSignal; readonly end: () => void };
  /** Aborts a call; one that is not under way is left alone, as the protocol wants. */
  readonly cancel: (session: string, id: unknown) => void;
  /** Aborts all calls of a session, whose client goes. */
  readonly endSession: (session: string) => void;
}

/** Made once: an error with its stack for each call that ends early would tell nothing more. */
const cancelled = new Error('The call was cancelled.');

/**
 * The calls under way, by the session that they came in: a request's id alone is not unique, and only who knows the
 * session's own name may end them. The word of it goes to all nodes, since it may come to another than the call did.
 */
export function createRunningCalls(signals: Pick<Signals, 'publish' | 'onSignal'>): RunningCalls {
  const calls = new Map<string, AbortController>();
  const sessions = new Map<string, readonly AbortController[]>();
  const keyOf = (...named: readonly unknown[]) => `mcp:${sha256Hex(JSON.stringify(named)).slice(0, 32)}`;
  // Heard for as long as the signals are there.
  signals.onSignal((key) => {
    calls.get(key)?.abort(cancelled);
    for (const call of sessions.get(key) ?? []) call.abort(cancelled);
  });
  return {
    begin(session, id) {
      const controller = new AbortController();
      const [key, whole] = [keyOf(session, id), keyOf(session)];
      // An id that is used twice at once names its first call.
      const isKept = calls.size < callsMax && !calls.has(key);
      if (isKept) {
        calls.set(key, controller);
        sessions.set(whole, [...(sessions.get(whole) ?? []), controller]);
      }
      return {
        signal: controller.signal,
        end: () => {
          if (!isKept) return;
          calls.delete(key);
          const left = (sessions.get(whole) ?? []).filter((one) => one !== controller);
          if (left.length === 0) sessions.delete(whole);
          else sessions.set(whole, left);
        },
      };
    },
    cancel: (session, id) => signals.publish(keyOf(session, id), 0n),
    endSession: (session) => signals.publish(keyOf(session), 0n),
  };
}
