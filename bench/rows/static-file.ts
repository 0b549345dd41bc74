import { type Contender, race } from '../race.ts';
import { atLeast, compare, type Line } from '../report.ts';
import { whileServing } from '../site.ts';
import { ask, type Stage } from '../stage.ts';

const kilobyte = 1_024;
const files = {
  'small.css': Buffer.alloc(4 * kilobyte, 'a{b:c}\n'),
  'large.css': Buffer.alloc(64 * kilobyte, 'a{b:c}\n'),
};

/** A file of a site, hot, against one worker of nginx, and on bare Node against `serve-static` and against memory alone. */
export const staticFile = (stage: Stage): Promise<Line[]> =>
  whileServing(stage, files, async ({ host, serveStatic, floor, nginx }) => {
    const lines: Line[] = [];
    for (const [name, bytes] of Object.entries(files)) {
      const request = (headers: Readonly<Record<string, string>>) => [
        { method: 'GET' as const, path: `/${name}`, headers, expected: 200 },
      ];
      const contenders: Record<string, Contender> = {
        gateway: { server: stage.gateway, requests: request({ host }) },
        'bare node:http': { server: floor, requests: request({}) },
        'serve-static': { server: serveStatic, requests: request({}) },
        ...(nginx === undefined ? {} : { nginx: { server: nginx, requests: request({}) } }),
      };
      for (const { server, requests } of Object.values(contenders))
        if ((await ask(server, requests[0]!)) !== bytes.toString()) throw new Error('The files are not alike.');
      const seen = await race(stage, contenders, 16, { thin: true });
      const size = `${bytes.length / kilobyte} KiB`;
      for (const [reference, least] of [
        ['nginx', 0.55],
        ['serve-static', 1.5],
        ['bare node:http', undefined],
      ] as const) {
        if (seen[reference] === undefined) continue;
        const label = `a hot file of ${size}, 16 clients : ${reference === 'nginx' ? 'nginx, one worker' : reference}`;
        const target = least === undefined ? {} : { target: atLeast(least) };
        const pair = { name: label, ours: 'gateway', reference, ...target };
        lines.push(...compare('static-file', seen, pair).slice(0, 2));
      }
    }
    return lines;
  });
