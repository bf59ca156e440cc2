import { anyOf, beside, oneOf } from '../../../text/patterns.ts';
import { likely, named, type Tale, unless } from './tale.ts';

const THING = oneOf(
  'path',
  'folder',
  'directory',
  'file ?name',
  'model ?(?:name|id|path)',
  'mount(?: ?path)?',
  'volume',
  'image',
  'tag',
  'flag',
  'option',
  'argument',
  'variable',
  'env var',
  'key',
  'token',
  'secret',
  'revision',
  'branch',
  'name',
  'port',
  'format',
  'template',
  'tokenizer',
  '(?<!kernel )module',
  'package',
  'entrypoint',
  'command',
  'config(?:uration)?(?:\\.json)?',
);
const AMISS = oneOf(
  'wrong',
  'missing',
  'mis-?spel[lt]\\w*',
  'empty',
  'not (?:there|found|set|given|mounted|valid|accepted|known|recogni[sz]ed|supported|allowed)',
  "(?:is|are|was|were)n[’']t (?:there|found|set|given|mounted|valid|accepted|known|recogni[sz]ed|supported|allowed)",
  'expired',
  'invalid',
  'a typo',
  'removed',
  'renamed',
  "does(?: not|n[’']t) exist",
);
// What is set wrong about these is a matter of memory.
const OF_ROOM =
  /max[-_]model[-_]len|\bcontext\b|ctx|gpu[-_]memory|max[-_]num|max[-_]batch|\bbatch|utili[sz]ation|mem[-_]fraction|memory limit|shm|swap[-_]space|offload/i;
const FILES: Tale = unless(
  OF_ROOM,
  named(
    'none.config',
    new RegExp(String.raw`\b(?:wrong|mis-?spel[lt]\w*|mistyped|non-?existent|missing) (?:\w+ )?${THING}\b`, 'i'),
    new RegExp(String.raw`\b${THING}s?\b(?: \S{1,40}){0,3}? (?:is |are |was |were |has |had |been ){0,2}${AMISS}`, 'i'),
    anyOf(
      'i',
      /\bgit-?lfs\b|\bLFS pointer/,
      /\b(?:storageUri|bucket|endpoint|base_?url|URI)\b[^\n]{0,60}\b(?:wrong|is called|points? (?:to|at)|pointed (?:to|at)|404|trailing)/,
      /\b(?:dash|quotes?|comma|brace|newline|indent\w*|trailing \w+)\b[^\n]{0,24}\b(?:missing|wrong|swallowed|extra|too many|in)\b(?=[^\n]*\b(?:args?|arguments?|ya?ml|env\w*|flags?|command|json|unit|line|path)\b)/,
      /\bEnvironment=\S*/,
      /\b(?:no|without (?:an?y? )?) ?(?:config\.json|tokenizer(?:_config)?\.json|params\.json|model\.safetensors|index\.json|chat template)\b/,
      /\bmounted (?:under|at|on|in|to) \S{1,60}[^\n]{0,40}\b(?:but|instead|not)\b/,
      /\bin the container\b[^\n]{0,24}\bmounted (?:under|at|on)\b/,
    ),
    anyOf(
      'i',
      /\bso it (?:looked for|look(?:s)? for|tries|tried|loads?|fetch\w*)\b/,
      /\b(?:given|meant|made|exported|built) for (?:an? |the )?\S{1,20} (?:checkpoint|model|card|GPU|version)\b/,
      /\b(?:needs?|wants?|requires?|without|missing|forgot) (?:the )?(?:--)?(?:trust[-_ ]remote[-_ ]code|chat[-_ ]template|HF_TOKEN)\b/,
      /\b(?:2|4|8|16|two|four|eight) (?:GPUs|cards|devices)\b[^\n]{0,40}\b(?:has|have|with|only|are) (?:only )?(?:1|2|4|one|two|four)\b(?! ?[GM]i?B)/,
      /没有?(?:配置?|设置?|填)|未(?:配置|设置)/,
    ),
    /\bdoes(?: not|n['’]t) exist\b|\bunauthori[sz]ed\b|\bimagePullSecrets?\b|下载不完整|少了 ?\S{0,20}(?:json|文件|权重)|缺少?[^\n]{0,4}(?:文件|tokenizer|权重|依赖)/i,
    /路径(?:写错|不对|错误|有误|不存在)|找不到(?:模型|文件|路径|目录|配置)|(?:文件|模型|目录|配置|权重)(?:不存在|缺失|损坏)|写错了?|(?<!缓存(?:目录)?)没有?挂载|挂载(?:错|失败)|参数(?:错误|不对|写错|不支持|有误)/,
  ),
);
const DOWNLOADS: Tale = named(
  'none.config',
  anyOf(
    'i',
    /\bgated (?:repo|model)/,
    /\b(?:401|403)\b[^\n]{0,60}\b(?:(?:HF_|HUGGING_FACE_HUB_)?token|hub|repo\w*|hugging ?face|download\w*|pull\w*|init|gated|licen[cs]e|login|HF)\b/,
    /\b(?:(?:HF_|HUGGING_FACE_HUB_)?token|hub|repo\w*|hugging ?face|HF|download\w*|pull\w*|gated|licen[cs]e)\b[^\n]{0,60}\b(?:401|403)\b/,
    /\b(?:ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerConfigError|RunContainerError)\b/,
    /\bpull access denied\b|\bmanifest unknown\b|没有(?:访问)?权限|需要(?:申请|授权|登录)/,
  ),
);
const SHAPE = String.raw`(?:\btp\b|\btensor[-_ ]parallel\w*(?:[-_]size)?|\bnum[-_ ]shards?|\bheads?\b|\bGPUs\b|\bcards\b)`;
const NOT_EVEN = String.raw`(?:\bdivi(?:de|sible)\w*|\bmultiple of\b|\bnot even\w*|\b(?:is|are)(?: not|n['’]t) (?:accepted|allowed|possible|permitted|a divisor)|\bpower of (?:two|2)\b|整除|除不尽)`;
const MODELS: Tale = named(
  'none.config',
  beside(SHAPE, NOT_EVEN, 40),
  anyOf(
    'i',
    /\b(?:does|do|did|is|are|was)(?: not|n['’]t) (?:yet |even )?(?:kn[oe]w\w*|recogni[sz]\w*|understand|support(?:ed)?|implement(?:ed)?|listed|registered)(?: \w+){0,3} (?:model|arch\w*|type|quant\w*|dtype|format|flag|option|argument|key|class|layer)/,
    /\b(?:model|arch\w*|type|quant\w*|format|flag|option|argument|tokenizer)\b(?: \S{1,30}){0,2} (?:(?:is|was) )?(?:(?:un|not )(?:known|recogni[sz]ed|supported|implemented|registered)|too new)/,
    /\b(?:unknown|unsupported|unrecogni[sz]ed) (?:\w+ )?(?:model|arch\w*|quant\w*|format|flag|option|argument|type|key)/,
  ),
  anyOf(
    'i',
    /\b(?:transformers|tokenizers|vllm|sglang|llama\.cpp|ollama|TGI|lmdeploy)\b(?: v?[\d.]{1,10})? (?:is |was )?too old\b/,
    /\bafter (?:a |the )?(?:pip install|upgrade of transformers|(?:upgrading|updating) transformers)/,
    /\bpip install (?:-U|--upgrade)\b|\bneeds? (?:a )?newer (?:transformers|tokenizers|version of)/,
    /不(?:支持|识别|认识)[^\n]{0,12}(?:模型|架构|类型|量化|参数|格式)|(?:模型|架构|类型|量化|参数)[^\n]{0,10}不(?:支持|识别|认识|兼容)/,
    /升级[^\n]{0,6}transformers/,
  ),
);
const OLD_CARD = String.raw`(?:\b(?:V100|T4|P100|P40|M40|K80|20[6-8]0|1080|RTX ?8000|Volta|Turing|Pascal|old(?:er)? (?:card|GPU)|sm_?[567]\d|capability [5-7])\b|老卡|旧卡)`;
const MIDDLE_CARD = String.raw`\b(?:A100|A10|A40|A6000|A30|30[6-9]0|Ampere|sm_?8\d|capability 8)\b`;
const EIGHT_BITS = String.raw`\b(?:fp8|fp4|nvfp4|mxfp4)\b`;
const KERNEL = String.raw`(?:\b(?:fp8|fp4|nvfp4|mxfp4|bf16|bfloat16|flash[- ]?attn\w*|flash[- ]?attention(?:[- ]?[23])?|flashinfer|marlin|machete|int4|AWQ|GPTQ|quanti[sz]ation check)\b)`;
const UNFIT = String.raw`(?:\b(?:un|not )support\w*|\b(?:does|do|is|are)(?: not|n['’]t) (?:support|have|available|possible|work)\w*|\bneeds? (?:at least )?(?:sm_?\d+|capability|compute capability|\d{2}\b|8\.\d|9\.\d|Ampere|Ada|Hopper|Blackwell)|\brequires? (?:at least )?(?:sm_?\d+|capability|compute capability|8\.\d|9\.\d|Ampere|Ada|Hopper|Blackwell)|\brefus\w*|\bcheck\b|\bonly (?:on|from)\b|\bends? in \w+ seconds\b|\bworked on\b|不支持|要求)`;
const CARDS: Tale = named(
  'none.config',
  new RegExp(String.raw`^(?=[^\n]*${MIDDLE_CARD})(?=[^\n]*${EIGHT_BITS})[^\n]*?${UNFIT}`, 'i'),
  new RegExp(String.raw`^(?=[^\n]*${OLD_CARD})(?=[^\n]*${KERNEL})[^\n]*?${UNFIT}`, 'i'),
  /\bcapability (?:of )?\d[\d.]{0,3}\b[^\n]{0,24}\b(?:needs?|requires?|at least|minimum)\b/i,
  /\bwithout AVX\w*|\bAVX(?:2|512)?\b|算力(?:不足|不够|要求|太低)/,
);
const BUILT: Tale = named(
  'none.config',
  /\b(?:built|compiled|exported|converted|serialized|quantized) (?:with|for|by|under|on) [^\n]{1,24}[,;]? (?:but |and |while )?(?:the )?(?:server|runtime|image|container|engine|loaded with)\b/i,
);
// Settings that move no memory: what a start wanted another of was not room.
const IDLE_FLAG = String.raw`(?:--?(?:model-format|tokenizer[-\w]*|chat-template|trust-remote-code|tool-call-parser|reasoning-parser|config-format|served-model-name|hf-overrides|rope-scaling|attention-backend|guided-decoding-backend|revision|task|runner|limit-mm-per-prompt)|\bVLLM_USE_V1|\bVLLM_ATTENTION_BACKEND)`;
const THEN_STARTS = String.raw`(?:\b(?:works?|worked|starts?|started|loads?|(?:comes|came) up|solved|fixed|fine)\b|就能|就好|成功|正常|解决)`;
const FLAGS: Tale = unless(
  /\d ?G(?:i?B)?\b|\b(?:memory|V?RAM|RSS|OOM)\b|显存|内存/i,
  named('none.config', beside(IDLE_FLAG, THEN_STARTS, 40)),
);
const BOUND: Tale = named(
  'none.config',
  /\btypo\b/i,
  /\b(?:registered|bound|binds|listens?|listening|advertis\w+|announc\w+)\b[^\n]{0,16}\b(?:localhost|127\.0\.0\.1)|(?:地址|监听|注册|绑定)[^\n]{0,8}(?:localhost|127\.0\.0\.1)/i,
);
const PORTS: Tale = named(
  'none.config',
  anyOf(
    'i',
    /\bport (?:\d{2,5} )?(?:is |was )?(?:already )?(?:in use|taken|occupied|bound)\b/,
    /\bAddress already in use\b|\bpermission denied\b|\bread-?only (?:file ?system|root|mount)/,
    /端口[^\n]{0,8}(?:占用|冲突)|\bexec format error\b|\bcommand not found\b(?<!nvidia-smi[^\n]{0,30})/,
  ),
);

/** What is set, mounted, fetched or asked for and is not right. */
export const SET_UP: readonly Tale[] = [FILES, DOWNLOADS, MODELS, CARDS, BUILT, FLAGS, BOUND, PORTS];

const GPU = '(?:GPUs?|cards?|devices?|CUDA|ROCm|显卡)';
const UNSEEN: Tale = named(
  'none.driver',
  new RegExp(
    String.raw`\b(?:no|zero|0|any) ${GPU} (?:in|for|inside|is|are|was|were|visible|found|seen|detected|passed|given|available|shows?|there)\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b${GPU}(?: \d)? (?:is|are|was|were) (?:not|never|no longer) (?:seen|visible|found|detected|there|passed|exposed|recogni[sz]ed|mapped|available)|\b(?:can(?: ?not|['’]t)|does(?: not|n['’]t)|did(?: not|n['’]t)|no longer|never) (?:see|find|detect|recogni[sz]e)s? (?:the |any |an? |its |my )?${GPU}\b|\blo(?:ses?|st) (?:the|its|my) ${GPU}\b`,
    'i',
  ),
  /(?:识别|检测|找|看|认)不到[^\n]{0,6}(?:显卡|GPU|卡)|没有?(?:检测|识别|找|认)到[^\n]{0,6}(?:显卡|GPU|卡)|掉驱动/i,
  anyOf(
    'i',
    /\b(?:without|no|missing|forgot|lacks?) (?:the )?(?:--gpus|gpus:?|--device|deploy\.resources|runtime: ?nvidia|--runtime|nvidia runtime|runtimeClass\w*|device plugin|container toolkit)/,
    /\bwith --gpus(?:[= ]all)?\b[^\n]{0,24}\b(?:there|works?|fine|ok|starts?|comes)\b/,
    /\bdevice type\b[^\n]{0,20}\binfer/,
    /\bdevice plugin\b[^\n]{0,40}\b(?:not|missing|gone|crash\w*|restart\w*)/,
  ),
);
const DRIVERS: Tale = named(
  'none.driver',
  anyOf(
    'i',
    /\bdrivers?\b[^\n]{0,16}\b\d{3}\b[^\n]{0,40}\b(?:needs?|requires?|wants?|too|older|newer|at least)\b/,
    /\bdrivers? (?:(?:is|was|were|are) )?(?:too old|outdated|mismatch\w*|missing|not (?:loaded|installed)|broken)/,
    /\b(?:old|wrong|missing|outdated|mismatched|older) (?:\w+ )?driver\b/,
    /\b(?:needs?|requires?|wants?) (?:a |an? newer )?(?:newer )?driver\b/,
    /\bdriver\b[^\n]{0,40}\b(?:downgrad\w*|upgrad\w*|updat\w*|reinstall\w*|roll\w* back)/,
    /\b(?:since|after) (?:the |a |an )?(?:last )?(?:kernel|driver|nvidia|apt|system|unattended|windows|BIOS)[- ](?:update|upgrade)/,
  ),
  anyOf(
    'i',
    /\bnvidia-smi\b[^\n]{0,40}\b(?:fails?|failed|command not found|not found|no devices|says no|could(?: not|n['’]t)|couldn|can(?:not|['’]t)|hangs)/,
    /\/dev\/(?:nvidia\w*|dri|kfd)\b[^\n]{0,40}\b(?:missing|not (?:there|mapped|mounted|passed)|permission|no)\b/,
    /\bnvidia[-_](?:uvm|drm|peermem|persistenced?|fabricmanager)\b[^\n]{0,40}\b(?:not|missing|down|fail\w*|(?:re)?load(?:ed|s)?|restart(?:ed)?)\b/,
    /\bsecure boot\b|\bkernel module (?:is |was )?missing|\bmodule (?:is |was )?not loaded/,
    /\b(?:since|after|with) the (?:new|old|latest) (?:kernel|driver)\b/,
    /\bfabric ?manager\b[^\n]{0,40}\b(?:not|down|missing|fail\w*|stopped|version)/,
  ),
  /驱动[^\n]{0,6}(?:太低|过低|太旧|不匹配|不兼容|没装|没有安装|版本低|问题|升级)|(?:升级|更新|重装|换)[^\n]{0,8}驱动|驱动 ?\d{3}\b|is_available\(\)[^\n]{0,8}False/,
  anyOf(
    'i',
    /\b(?:rmmod|modprobe)\b/,
    /\b(?:image|wheel|build|container|torch)\b[^\n]{0,24}\bcu1[12]\d\b[^\n]{0,80}\bcu1[23]\d\b/,
    /\b(?:laptop|machine|host|PC|it) (?:slept|sleeps|was suspended|suspends|resum\w+|woke|wakes)\b[^\n]{0,60}\b(?:CPU|GPU|CUDA)\b/,
    /\b(?:GPU|CUDA)\b[^\n]{0,40}\b(?:suspend|sleep|slept|resume|hibernat\w+)\b/,
    /\bkernel panics?\b[^\n]{0,60}\b(?:IOGPU\w*|AGX\w*|nvidia|amdgpu)\b/,
    /\bafter (?:an? |the |each |every )?(?:suspend|resume|standby|hibernat\w+)\b[^\n]{0,60}\b(?:CPU|GPU|CUDA|driver)\b/,
  ),
);
// All of it on the processor beside a card that has room. With another program on the card that has taken the room it is memory.
const ON_CPU: Tale = unless(
  /\b(?:next to|open|closing|beside|game|ComfyUI|too (?:big|large)|does(?: not|n't) fit)\b/i,
  likely(
    'none.driver',
    beside(
      String.raw`(?:\b100 ?% CPU\b(?! of\b)(?=[^\n]*\b(?:ollama|llama|ps|PROCESSOR|card|GPU)\b)|\b(?:on|to|uses?|only) (?:the )?CPU\b|(?:在|用|跑)的?[^\n]{0,4}CPU)`,
      String.raw`(?:\bidles?\b|\b(?:GPU|card)\b[^\n]{0,12}\b0 ?%|\b(?:GPU|card|3090|4090)\b[^\n]{0,16}\b(?:not used|unused|empty|free)\b|空闲|没用上?|没有使用)`,
      100,
    ),
  ),
);

/** A device that the engine does not see or can not use. */
export const DEVICES_UNSEEN: readonly Tale[] = [UNSEEN, DRIVERS, ON_CPU];
