import { availableParallelism } from 'node:os';
import { createThreads, ThreadEndedError, ThreadsBusyError } from '../../core/threads.ts';
import type { ExaminedImage, ImageFault } from './examine-image.ts';
import { imageLimits } from './image-limits.ts';
import type { ImageAnswer, ImageTask } from './image-worker.ts';

/** An image that cannot be taken, or not now. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  /** `busy`: too many images wait for their turn. */
  readonly fault: ImageFault | 'busy';
  readonly details: Readonly<Record<string, number>>;

  constructor(fault: ImageFault | 'busy', details: Readonly<Record<string, number>> = {}) {
    super(`The image was not examined: ${fault}.`);
    this.fault = fault;
    this.details = details;
  }
}

/** Looks at images of others beside the event loop. */
export interface Images {
  /**
   * Decodes an image as whatever it is, and makes its variants.
   *
   * @param party whose image it is: parties take turns
   * @throws ImageError
   */
  readonly examine: (bytes: Uint8Array, party?: string) => Promise<ExaminedImage>;
  readonly close: () => Promise<void>;
}

export interface ImagesOptions {
  /** Threads, each with an image of up to 160 MB while it works. @default half the processors, one or two */
  readonly threads?: number;
  /** Images that may wait. @default 16 */
  readonly waitingMax?: number;
  /** Of these, images of one party. @default 8 */
  readonly shareMax?: number;
  /** Longest that one image may take, in milliseconds; its thread is ended then. @default 30,000 */
  readonly workMs?: number;
}

/** Threads start with the first image. */
export function createImages({
  threads: most = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2))),
  waitingMax = 16,
  shareMax = 8,
  workMs = 30_000,
}: ImagesOptions = {}): Images {
  const program = new URL('./image-worker.ts', import.meta.url);
  // What an image takes is outside of the heap, and bounded by its pixels.
  const memoryMb = 128;
  const threads = createThreads<ImageTask, ImageAnswer>({ program, most, waitingMax, shareMax, workMs, memoryMb });

  return {
    async examine(bytes, party) {
      const { bytesMax } = imageLimits;
      if (bytes.length > bytesMax) throw new ImageError('too_large', { bytes: bytes.length, bytes_max: bytesMax });
      const answer = await threads.ask({ bytes }, party).catch((error: unknown) => {
        if (error instanceof ThreadsBusyError) throw new ImageError('busy');
        throw error instanceof ThreadEndedError ? new ImageError('too_slow') : error;
      });
      if ('fault' in answer) throw new ImageError(answer.fault, answer.details);
      return answer;
    },
    close: threads.close,
  };
}
