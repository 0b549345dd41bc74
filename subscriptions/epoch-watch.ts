import type { Logger } from 'pino';
import type { FeedEpoch } from '../db/feed-epoch.ts';
import type { Database } from '../db/pool.ts';
import type { Epochs } from '../resolvers/installation/services.ts';
import type { Signals } from './signals.ts';

export interface EpochWatchOptions {
  readonly db: Pick<Database, 'rows'>;
  readonly feedEpoch: FeedEpoch;
  readonly log: Logger;
  readonly signals: Signals;
  /** How long an epoch that another node has begun may go unnoticed when its signal is lost, in milliseconds. @default 5_000 */
  readonly everyMs?: number;
}

/** The watch with what its owner needs besides. */
export interface RunningEpochWatch extends Epochs {
  readonly close: () => void;
}

const signalKey = 'installation:epoch';

/** Hears of epochs of feeds that other nodes begin: when one says so, and now and then. */
export function createEpochWatch(options: EpochWatchOptions): RunningEpochWatch {
  const { db, feedEpoch, log, signals, everyMs = 5_000 } = options;
  let failing = false;
  let ended = false;

  async function refresh(): Promise<void> {
    try {
      await feedEpoch.refresh(db);
      failing = false;
    } catch (error) {
      if (!failing && !ended) log.warn({ err: error }, 'the epoch of feeds cannot be looked up; trying again');
      failing = true;
    }
  }

  const stopListening = signals.onSignal((key) => {
    if (key === signalKey) void refresh();
  });
  const timer = setInterval(() => void refresh(), everyMs).unref();
  return {
    begun: (epoch) => {
      feedEpoch.begun(epoch);
      try {
        signals.publish(signalKey, 0n);
      } catch (error) {
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },
    close: () => {
      ended = true;
      clearInterval(timer);
      stopListening();
    },
  };
}
