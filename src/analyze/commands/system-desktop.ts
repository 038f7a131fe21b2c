// The desktop, the clipboard, images, audio and video.

import { part } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { named } from './tool-rows.ts';

/** Runs the program configured for the file, the address or the script. */
function runs(summary: string, notReadOnly: readonly string[], details: Partial<CommandSpec> = {}): CommandSpec {
  return {
    summary,
    class: 'execute',
    style: 'none',
    operands: 'value*',
    does: 'execute change',
    ...details,
    examples: { readOnly: [], notReadOnly },
  };
}

const MAGICK_NOTE = ['convert a.png b.jpg', "convert 'msl:x' y", 'magick a b', 'mogrify -resize 1 a.png'];

export const desktop: CommandFamily = {
  'xdg-open': runs('open with the usual program', ['xdg-open f', 'open https://a.org'], {
    does: 'execute change network',
  }),
  open: 'xdg-open',
  'gio-open': 'xdg-open',
  wslview: 'xdg-open',
  explorer: 'xdg-open',
  'x-www-browser': 'xdg-open',
  'sensible-browser': 'xdg-open',
  'xdg-mime': {
    summary: 'kinds of files',
    class: 'read',
    style: 'posix',
    subcommands: {
      query: part('show the kind of a file', 'read', { style: 'none' }),
      ...named('default install uninstall', part('change kinds of files', 'write', { style: 'none', does: 'change' })),
    },
    examples: { readOnly: ['xdg-mime query filetype f'], notReadOnly: ['xdg-mime default x y'] },
  },
  pbcopy: runs('fill the clipboard', ['pbcopy'], { does: 'change' }),
  'wl-copy': 'pbcopy',
  pbpaste: runs('print the clipboard', ['pbpaste'], { does: 'secret' }),
  'wl-paste': {
    summary: 'print the clipboard',
    class: 'list',
    style: 'posix',
    flags: '-n --no-newline -l --list-types -p --primary -v --version',
    values: '-t --type -s --seat',
    options: { '-w --watch': '+hook' },
    operands: 'command*',
    does: 'secret',
    variants: [{ has: '-l --list-types -v --version', does: '' }],
    examples: { readOnly: ['wl-paste --list-types'], notReadOnly: ['wl-paste', 'wl-paste --watch rm x'] },
  },
  xclip: {
    summary: 'read or fill the clipboard',
    class: 'list',
    style: 'words',
    flags: '-o -out -i -in -r -rmlastnl -f -filter -silent -quiet -version',
    values: '-selection -sel -t -target -l -loops -d -display',
    operands: 'read*',
    does: 'change',
    variants: [
      { has: '-version', does: '' },
      { has: '-o -out', does: 'secret' },
    ],
    examples: { readOnly: ['xclip -version'], notReadOnly: ['xclip -o', 'xclip f'] },
  },
  xsel: {
    summary: 'read or fill the clipboard',
    class: 'list',
    flags:
      '-o --output -i --input -a --append -p --primary -s --secondary -b --clipboard -c --clear -d --delete ' +
      '-k --keep -x --exchange --version',
    values: '-t',
    operands: '',
    does: 'change secret',
    variants: [{ has: '--version', does: '' }],
    examples: { readOnly: ['xsel --version'], notReadOnly: ['xsel -b', 'xsel -o'] },
  },
  'notify-send': runs('show a message', ['notify-send x'], { does: 'change' }),
  osascript: {
    summary: 'run AppleScript',
    class: 'execute',
    style: 'posix',
    flags: '-s -i',
    values: '-l',
    options: { '-e': 'code' },
    operands: 'file value*',
    does: 'execute change',
    examples: { readOnly: [], notReadOnly: ['osascript -e \'do shell script "rm x"\'', 'osascript f'] },
  },
  defaults: {
    summary: 'settings of macOS',
    class: 'read',
    style: 'posix',
    subcommands: {
      ...named('read read-type domains find help', part('show settings', 'read', { style: 'none' })),
      ...named('write delete rename import', part('change settings', 'write', { style: 'none', does: 'change' })),
      export: part('write settings to a file', 'write', { style: 'none', operands: 'value write' }),
    },
    examples: {
      readOnly: ['defaults read com.x', 'defaults domains'],
      notReadOnly: ['defaults write x y z', 'defaults export x f'],
    },
  },
  gsettings: {
    summary: 'settings of the desktop',
    class: 'read',
    style: 'posix',
    subcommands: {
      ...named(
        'get list-schemas list-keys list-recursively range describe writable list-children',
        part('show settings', 'read', { style: 'none' }),
      ),
      ...named('set reset reset-recursively', part('change settings', 'write', { style: 'none', does: 'change' })),
    },
    examples: { readOnly: ['gsettings get a b', 'gsettings list-schemas'], notReadOnly: ['gsettings set a b c'] },
  },
  sw_vers: {
    summary: 'show the version of macOS',
    class: 'list',
    flags: '-productName -productVersion -buildVersion --productName --productVersion --buildVersion',
    operands: '',
    examples: { readOnly: ['sw_vers', 'sw_vers -productVersion'], notReadOnly: [] },
  },
  system_profiler: {
    summary: 'show the machine',
    class: 'list',
    style: 'words',
    flags: '-json -xml -listDataTypes',
    values: '-detailLevel -timeout',
    operands: 'value*',
    examples: { readOnly: ['system_profiler SPHardwareDataType'], notReadOnly: [] },
  },
  lsb_release: {
    summary: 'show the distribution',
    class: 'list',
    flags: '-a --all -c --codename -d --description -i --id -r --release -s --short -v --version -h --help',
    operands: '',
    examples: { readOnly: ['lsb_release -a', 'lsb_release -cs'], notReadOnly: [] },
  },
  screencapture: {
    summary: 'take a picture of the screen',
    class: 'write',
    flags: '-c -i -x -m -w -W -s -S -o -C -P',
    values: '-t -T -R -D -l',
    operands: 'write*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['screencapture f.png'] },
  },
  scrot: 'screencapture',
  'gnome-screenshot': 'screencapture',
  import: 'screencapture',
  // Delegates of the image library run programs, depending on the content of the file.
  convert: {
    dashIsStream: true,
    summary: 'change pictures',
    class: 'list',
    style: 'words',
    operands: 'read+ write',
    does: 'execute',
    flags: '-version',
    variants: [{ has: '-version', does: '', operands: '' }],
    examples: { readOnly: ['convert -version'], notReadOnly: MAGICK_NOTE },
  },
  magick: 'convert',
  composite: 'convert',
  montage: 'convert',
  mogrify: {
    summary: 'change pictures in place',
    class: 'execute',
    style: 'words',
    operands: 'edit*',
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['mogrify -resize 1 a.png'] },
  },
  identify: {
    summary: 'show pictures',
    class: 'list',
    style: 'words',
    flags: '-version -verbose -quiet -ping',
    values: '-format',
    operands: 'read*',
    does: 'execute',
    variants: [{ has: '-version', does: '', operands: '' }],
    examples: { readOnly: ['identify -version'], notReadOnly: ['identify a.png'] },
  },
  ffmpeg: {
    dashIsStream: true,
    summary: 'change films and sound',
    class: 'list',
    style: 'words',
    flags:
      '-y -n -hide_banner -nostdin -an -vn -sn -dn -version -formats -codecs -encoders -decoders -filters ' +
      '-pix_fmts -L -h -shortest -stats -nostats -copyts -re',
    values:
      '-c -c:v -c:a -c:s -codec -codec:v -codec:a -vcodec -acodec -b -b:v -b:a -r -s -t -ss -to -f -map -vf ' +
      '-af -filter:v -filter:a -filter_complex -preset -crf -loglevel -v -threads -ar -ac -q:v -q:a ' +
      '-qscale:v -pix_fmt -movflags -metadata -vframes -frames:v -aspect -g -bf -profile:v -level -maxrate ' +
      '-bufsize -fs -itsoffset -stream_loop -start_number -framerate -update',
    options: {
      '-i': 'read',
      '-report': '+change',
      '-vstats_file': 'write',
      '-passlogfile': 'write',
      '-progress': 'unknown',
      '-filter_complex_script': 'read',
      '-dump_attachment': 'unknown',
      '-attach': 'read',
      '-protocol_whitelist': 'unknown',
      '-init_hw_device': 'unknown',
    },
    operands: 'write*',
    does: 'unknown',
    variants: [
      { has: '-version -formats -codecs -encoders -decoders -filters -pix_fmts -L -h', does: '', operands: '' },
    ],
    examples: {
      readOnly: ['ffmpeg -version', 'ffmpeg -hide_banner -encoders'],
      notReadOnly: ['ffmpeg -i a.mp4 b.mp3', 'ffmpeg -i http://a.org/x -f null -', 'ffmpeg -version f'],
    },
  },
  ffprobe: {
    summary: 'show films and sound',
    class: 'read',
    style: 'words',
    flags:
      '-hide_banner -show_format -show_streams -show_frames -show_packets -show_chapters -show_programs ' +
      '-show_error -show_data -count_frames -count_packets -pretty -unit -prefix -sexagesimal -version -L ' +
      '-h -bitexact',
    values: '-v -loglevel -of -print_format -output_format -show_entries -select_streams -read_intervals -f -sections',
    options: { '-i': 'url', '-report': '+change', '-o': 'write' },
    operands: 'value*',
    program: 'media-input',
    examples: {
      readOnly: ['ffprobe a.mp4', 'ffprobe -v error -show_format -of json a.mp4', 'ffprobe -hide_banner ./a.mkv'],
      notReadOnly: [
        'ffprobe http://a.org/x',
        'ffprobe -o f a.mp4',
        "ffprobe 'concat:a|b'",
        'ffprobe a.m3u8',
        'ffprobe -report a.mp4',
      ],
    },
  },
  ffplay: runs('play films and sound', ['ffplay a.mp4']),
  mediainfo: {
    summary: 'show films and sound',
    class: 'read',
    flags: '-f --Full --Version --Help',
    values: '--Output --Inform',
    options: { '--LogFile': 'write' },
    operands: 'value*',
    program: 'media-input',
    examples: {
      readOnly: ['mediainfo a.mp4'],
      notReadOnly: ['mediainfo --LogFile=f a.mp4', 'mediainfo http://a.org/x.mp4'],
    },
  },
  sox: runs('change sound', ['sox a.wav b.wav']),
  mpv: 'ffplay',
  vlc: 'ffplay',
  exiftool: {
    summary: 'show or change data in files',
    class: 'read',
    style: 'words',
    flags:
      '-a -b -e -f -fast -fast2 -g -g1 -G -G0 -G1 -h -H -j -json -l -L -m -n -q -r -s -s1 -s2 -s3 -S -t -T ' +
      '-u -U -v -ver -z -ee -php -X -csv -all -FileType -MIMEType -ImageSize -ImageWidth -ImageHeight ' +
      '-CreateDate -DateTimeOriginal -ModifyDate -FileModifyDate -Model -Make -Orientation -GPSLatitude ' +
      '-GPSLongitude -GPSPosition -gps:all -exif:all -xmp:all -iptc:all -EXIF:all -Duration -Title -Author ' +
      '-Artist -Comment -Software -LensModel -ISO -FNumber -ExposureTime -FocalLength -FileSize -FileName',
    values: '-d -dateFormat -ext -charset -lang -sep',
    operands: 'read/*',
    examples: {
      readOnly: ['exiftool a.jpg', 'exiftool -j -G a.jpg', 'exiftool -CreateDate a.jpg', 'exiftool -s -r d'],
      notReadOnly: [
        'exiftool -all= a.jpg',
        'exiftool -Title=x a.jpg',
        'exiftool -o f a.jpg',
        "exiftool -if 'system(1)' a.jpg",
        'exiftool -config c a.jpg',
        'exiftool -@ f',
        "exiftool '-FileName<CreateDate' d",
        'exiftool -w txt d',
        'exiftool -overwrite_original a.jpg',
        'exiftool -delete_original a.jpg',
      ],
    },
  },
  pdftotext: {
    summary: 'print the text of a PDF file',
    class: 'list',
    style: 'words',
    flags: '-layout -raw -nopgbrk -htmlmeta -bbox -q -v -h -tsv -fixed',
    values: '-f -l -r -x -y -W -H -enc -eol -opw -upw',
    operands: 'read value?',
    program: 'to-output',
    examples: {
      readOnly: ['pdftotext a.pdf -', 'pdftotext -layout a.pdf -'],
      notReadOnly: ['pdftotext a.pdf', 'pdftotext a.pdf b.txt'],
    },
  },
  pdfinfo: {
    summary: 'show a PDF file',
    class: 'read',
    style: 'words',
    flags: '-box -meta -custom -js -struct -struct-text -isodates -rawdates -dests -url -v -h',
    values: '-f -l -enc -opw -upw',
    operands: 'read',
    examples: { readOnly: ['pdfinfo a.pdf'], notReadOnly: [] },
  },
  pdffonts: 'pdfinfo',
  pdfimages: {
    summary: 'take pictures out of a PDF file',
    class: 'list',
    style: 'words',
    flags: '-list -png -j -jp2 -all -p -q -v -h -tiff',
    values: '-f -l -opw -upw',
    operands: 'read write?',
    does: 'change',
    variants: [{ has: '-list -v -h', does: '', operands: 'read' }],
    examples: { readOnly: ['pdfimages -list a.pdf'], notReadOnly: ['pdfimages a.pdf x'] },
  },
  pdftoppm: {
    summary: 'make pictures of a PDF file',
    class: 'list',
    style: 'words',
    flags: '-png -jpeg -gray -mono -singlefile -v',
    values: '-f -l -r -x -y -W -H -scale-to',
    operands: 'read write?',
    does: 'change',
    variants: [{ has: '-v', does: '', operands: '' }],
    examples: { readOnly: ['pdftoppm -v'], notReadOnly: ['pdftoppm -png a.pdf x'] },
  },
  pdftocairo: 'pdftoppm',
  gs: runs('run PostScript', ['gs x.ps']),
  ghostscript: 'gs',
  libreoffice: runs('work with office documents', ['libreoffice --convert-to pdf a.doc']),
  soffice: 'libreoffice',
  say: runs('speak', ['say x'], { does: 'change' }),
};
