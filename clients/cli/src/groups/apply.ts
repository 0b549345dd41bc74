import type { Command, Group } from '../command.ts';
import { apply } from './deploy.ts';

const shortApply: Command = {
  ...apply,
  words: 'apply',
  examples: apply.examples.map(([about, words]) => [about, words.replace('deploy apply', 'apply')]),
};

export const group: Group = {
  name: 'apply',
  about: ['svc apply: the same as svc deploy apply.'],
  commands: [shortApply],
};
