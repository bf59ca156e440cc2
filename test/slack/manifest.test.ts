import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const manifest = parse(readFileSync(join(import.meta.dirname, '../../deploy/slack-app-manifest.yaml'), 'utf8'));

it('keeps to the lengths of Slack’s own schema', () => {
  const { display_information: shown, features } = manifest;

  expect(shown.name.length).toBeLessThanOrEqual(35);
  expect(shown.description.length).toBeLessThanOrEqual(140);
  expect(features.slash_commands[0].command).toMatch(/^\/.{1,31}$/);
  expect(features.shortcuts[0].name.length).toBeLessThanOrEqual(24);
});

it('asks for no more than the bot uses', () => {
  expect([...manifest.oauth_config.scopes.bot].sort()).toEqual([
    'channels:read',
    'chat:write',
    'commands',
    'files:write',
    'groups:read',
    'usergroups:read',
  ]);
});

it('names what the listeners wait for', () => {
  expect(manifest.features.shortcuts[0]).toMatchObject({ type: 'message', callback_id: 'oom:triage' });
  expect(manifest.features.slash_commands[0]).toMatchObject({ command: '/oom', should_escape: false });
  expect(manifest.settings.event_subscriptions.bot_events).toContain('app_home_opened');
});
