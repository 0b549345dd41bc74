import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { writablePath } from '../input.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/image.ts';

export const group: Group = {
  name: 'image',
  about: [
    'svc image: images that the gateway has a model make, for 0.03 USD each from the prepaid balance.',
    'svc pay makes one by a payment on chain.',
  ],
  commands: everyCommand(rows, [
    operationCommand('image generate', rows['ai.generateImage'], {
      takes: [take('prompt')],
      seek: false,
      more: [{ name: 'output', type: 'string', placeholder: 'file', about: 'File to write the image into.' }],
      set: async ({ cli, flags }) => {
        const output = flags.text('output');
        if (output !== undefined) await writablePath(cli, output);
        return {};
      },
      shown: async (answer, { cli, flags }) => {
        const output = flags.text('output');
        if (output === undefined) return answer;
        const bytes = Buffer.from(answer.image as string, 'base64');
        await writeFile(resolve(cli.cwd, output), bytes);
        const { image: _image, ...rest } = answer;
        return { ...rest, output, size_bytes: bytes.length };
      },
      examples: [
        ['Into a file', 'image generate "A lighthouse in fog" --output lighthouse.png'],
        ['Of another shape', 'image generate "A wide valley" --aspect landscape --output valley.png'],
      ],
    }),
    operationCommand('image offer', rows['ai.imageOffer'], { examples: [['What it costs', 'image offer']] }),
  ]),
};
