import { parentPort } from 'node:worker_threads';
import { type ExaminedImage, examineImage, type RefusedImage } from './examine-image.ts';

/** A worker examines one image at a time. */
export interface ImageTask {
  readonly bytes: Uint8Array;
}

export type ImageAnswer = ExaminedImage | RefusedImage;

parentPort!.on('message', async ({ bytes }: ImageTask) => {
  parentPort!.postMessage((await examineImage(bytes)) satisfies ImageAnswer);
});
